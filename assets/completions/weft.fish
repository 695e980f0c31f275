# Tab completion of weft for fish: the program itself provides the candidates.

function __weft_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct | string trim --left --chars '"\'')
    for answer in ($words[1] complete $words[2..] "$typed" 2>/dev/null)
        switch $answer
            case :files
                __fish_complete_path "$typed"
            case :continues
            case '*'
                echo $answer
        end
    end
end

complete --command weft --no-files --arguments '(__weft_complete)'
