#!/bin/sh
# Counts lines, and shows how a script becomes a tool.
#
# @tool count_lines
# @description Counts the lines of a text, or only those that contain a word.
# @readOnly
# @output json
# @timeout 30s
# @arg text {string} The text
# @arg [word] {string} Count only lines with this word
# @arg [letters=any] {any|exact} Whether upper and lower case differ

set -eu
case "$ARG_LETTERS" in any) flags=-ic ;; *) flags=-c ;; esac
# Always in double quotes, so that a value stays one word; -e and -- keep it from being an option.
lines=$(printf '%s\n' "$ARG_TEXT" | grep $flags -F -e "${ARG_WORD-}" || true)
printf '{"lines":%d}\n' "$lines"
