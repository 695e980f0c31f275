#!/bin/bash
#SBATCH --job-name=weft
#SBATCH --array=0-99%32
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=weft-%A_%a.log
#
# Filters the files of a plan in 100 tasks, at most 32 at once:
#
#   weft batch -vf gaussian=sigma=2 --recursive -o /proj/soft/ /proj/films --plan /proj/films.plan --shards 100
#   sbatch slurm.sh /proj/films.plan
#   sbatch --array="$(weft batch --run /proj/films.plan --check -f slurm)" slurm.sh /proj/films.plan
#
# The last line runs the tasks with missing files again. They skip files that their receipts prove to
# be done, and with --resume they continue unfinished videos. exec lets weft, not the shell, get the
# signal before the time limit or a preemption; docs/cluster.md lists the exit codes.
set -euo pipefail
if [[ $# -ne 1 ]]; then
    echo "usage: sbatch slurm.sh PLAN" >&2
    exit 2
fi
exec weft batch --run "$1" --shard auto --resume
