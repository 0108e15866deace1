# SPDX-License-Identifier: MIT
#
# fish completion for backoff-herd(1)

function __backoff_herd_presets
    set -l program (commandline -opc)[1]
    echo list
    $program --preset=list 2>/dev/null | string match -r '^[^ ]+'
end

complete -c backoff-herd -f

complete -c backoff-herd -l clients -x -d 'How many there are'
complete -c backoff-herd -l outage -x -d 'How long the service is down'
complete -c backoff-herd -l capacity -x -d 'How many requests a second it serves then'
complete -c backoff-herd -l runs -x -d 'How often to simulate it'

complete -c backoff-herd -s b -l base -x -d 'The first window'
complete -c backoff-herd -s f -l factor -x -d 'How much the window grows each time'
complete -c backoff-herd -s c -l cap -x -a inf -d 'No pause is longer'
complete -c backoff-herd -l floor -x -d 'No pause is shorter'
complete -c backoff-herd -s g -l growth -x -a 'exponential binary linear quadratic cubic fibonacci constant' -d 'How the windows grow'
complete -c backoff-herd -s d -l delays -x -d 'The windows themselves'
complete -c backoff-herd -s j -l jitter -x -a 'none full equal decorrelated smooth' -d 'How a pause is drawn from its window'
complete -c backoff-herd -l splay -x -d 'Random wait before the first attempt'
complete -c backoff-herd -s p -l preset -x -a '(__backoff_herd_presets)' -d 'The options of a known system'
complete -c backoff-herd -l seed -x -d 'Draw the same pauses each time'

complete -c backoff-herd -s n -l attempts -x -a inf -d 'Total runs, the first included'
complete -c backoff-herd -s T -l deadline -x -d 'Limit for everything'

complete -c backoff-herd -s h -l help -d 'Print help and exit'
complete -c backoff-herd -s V -l version -d 'Print the version and exit'

complete -c backoff-herd -l cap-mode -x -a 'window before after' -d 'Where the cap stands'
complete -c backoff-herd -l max-exponent -x -d 'The window stops growing after so many failures'
complete -c backoff-herd -l steps -x -d 'Choose the factor so that the window reaches the cap'
complete -c backoff-herd -l slot -x -d 'Pauses are whole multiples of this'
