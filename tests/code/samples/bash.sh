#!/bin/bash
# Things of the shop.
source ./base.sh
. ./other.sh

LIMIT=10
readonly NAME="shop"
declare -a items=()

# Puts one in.
add_item() {
  local inner=1
  nested() { echo 1; }
}

function sell {
  echo "sold"
}

function with_both() {
  :
}

alias ll='ls -l'
