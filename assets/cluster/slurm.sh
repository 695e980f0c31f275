#!/bin/bash
#SBATCH --job-name=weft
#SBATCH --array=0-99%32
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
#
# docs/cluster.md has a loop that runs the tasks with missing files again, and lists the exit codes.
# Tasks skip files that their receipts prove to be done, and with --resume they continue unfinished
# videos. `sbatch --gres=gpu:1 …` adds a GPU to each task. exec lets weft, not the shell, get the
# signal before the time limit or a preemption.
set -euo pipefail
if [[ $# -ne 1 ]]; then
    echo "usage: sbatch slurm.sh PLAN" >&2
    exit 2
fi
exec weft batch --run "$1" --shard auto --resume
