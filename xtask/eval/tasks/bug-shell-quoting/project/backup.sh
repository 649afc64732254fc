#!/bin/sh
# Copies every file of a directory: backup.sh FROM TO
from=$1
to=$2
mkdir -p $to
for file in `ls $from`; do
    cp $from/$file $to
done
