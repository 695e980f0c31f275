# Converts help pages, lists and a table of the manual to mdoc source.
#   -v page=options   a help page: its usage and its options, group by group
#   -v page=table     a table of `weft list`: its first and last column
#   -v page=codes     the rows of the manual's table of exit codes
function roff(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    sub(/^[.']/, "\\\\\\&&", text)
    return text
}
# .It with quoted words, so that mdoc takes no word for a macro and no sign for punctuation.
function item(word,    guard) {
    guard = word ~ /^[A-Za-z0-9-]/ ? "" : "\\&"
    gsub(/"/, "\"\"", word)
    printf ".It Sy \"%s%s\"\n", guard, roff(word)
}
function close_list() {
    if (listing) print ".El"
    listing = 0
}

page == "codes" && /^\| *[0-9][0-9, ]*\|/ {
    split($0, cell, / *\| */)
    gsub(/`/, "", cell[3])
    item(cell[2])
    print roff(cell[3])
}

page == "table" && NR == 1 {
    column = match($0, /[^ ]+( [^ ]+)*$/)
}
page == "table" && NF == 0 { exit }
page == "table" && NR > 1 {
    name = $0
    sub(/  .*/, "", name)
    item(name)
    print roff(substr($0, column))
}

page == "options" && /^Usage: / {
    printf ".Pp\n.Dl \"%s\"\n", roff(substr($0, 8))
}
page == "options" && /^[A-Z][A-Za-z ]*:$/ && !/^(Options|Examples):/ {
    close_list()
    printf ".Pp\n%s\n", roff($0)
}
page == "options" && /^Examples:/ { exit }
page == "options" && /^  -/ {
    if (!listing) print ".Bl -tag -width Ds -compact"
    listing = 1
    text = substr($0, 3)
    gap = match(text, /  +/)
    item(gap ? substr(text, 1, gap - 1) : text)
    if (gap) print roff(substr(text, gap + RLENGTH))
}
page == "options" && /^ {20,}[^ ]/ {
    sub(/^ +/, "")
    print roff($0)
}
END { if (page == "options") close_list() }
