# Tab completion of weft for bash: the program itself provides the candidates.

_weft() {
    local line=${COMP_LINE:0:COMP_POINT} typed before answer
    local -a words
    read -ra words <<<"$line"
    [[ $line != *[[:space:]] ]] || words+=('')
    typed=${words[-1]}
    words[-1]=${typed#[\"\']}
    # bash keeps what it takes for words of their own, up to the last = or :, but not inside quotes.
    [[ $typed == [\"\']* ]] || before=${typed%"${typed##*[=:]}"}

    COMPREPLY=()
    while IFS= read -r answer; do
        case $answer in
            :files) compopt -o default ;;
            :continues) compopt -o nospace ;;
            *) COMPREPLY+=("${answer%%$'\t'*}") ;;
        esac
    done < <("$1" complete "${words[@]:1}" 2>/dev/null)
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
}

complete -F _weft weft
