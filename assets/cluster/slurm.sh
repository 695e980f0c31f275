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
# Filters a folder of videos in 100 tasks, at most 32 at once:
#
#   sbatch slurm.sh /proj/films /proj/soft 'gaussian=sigma=2'
#
# The tasks are numbered from 0, and auto/100 repeats their number: so a retry of some tasks, such as
# sbatch --array=3,17 slurm.sh …, filters the files of these tasks. With -n tasks that run again skip
# finished files, and with --resume they continue unfinished videos. exec lets weft, not the shell,
# get the signal before the time limit or a preemption; docs/cluster.md lists the exit codes.
set -euo pipefail
if [[ $# -ne 3 ]]; then
    echo "usage: sbatch slurm.sh INPUT_FOLDER OUTPUT_FOLDER STACK" >&2
    exit 2
fi
exec weft batch -vf "$3" --recursive --shard auto/100 -n --resume -o "${2%/}/" "$1"
