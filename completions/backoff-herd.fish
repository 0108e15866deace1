# SPDX-License-Identifier: MIT
#
# fish completion for backoff-herd(1)

function __backoff_herd_presets
    set -l program (commandline -opc)[1]
    echo list
    $program --preset=list 2>/dev/null | string match -r '^[^ ]+'
end

complete -c backoff-herd -f

complete -c backoff-herd -l clients -x -d 'How many clients there are'
complete -c backoff-herd -l outage -x -d 'How long the service is down'
complete -c backoff-herd -l capacity -x -d 'How many requests a second it serves after that'
complete -c backoff-herd -l failures -x -d 'The share of requests that fail by themselves'
complete -c backoff-herd -l limit -x -d 'Refuse more requests a second than this'
complete -c backoff-herd -l refusals -x -d 'The share of requests that are refused by chance'
complete -c backoff-herd -l retry-after -x -d 'What a refusal asks clients to wait'
complete -c backoff-herd -l late -x -d 'How far apart requests arrive that start together'
complete -c backoff-herd -l runs -x -d 'Simulate it this many times'
complete -c backoff-herd -l gate -a 'machine fleet' -d 'Let all clients of a machine share a gate'
complete -c backoff-herd -l machines -x -d 'With --gate, spread the clients over so many machines'

complete -c backoff-herd -s b -l base -x -d 'Upper bound of the first pause'
complete -c backoff-herd -s f -l factor -x -d 'Multiply that bound after each failure'
complete -c backoff-herd -s c -l cap -x -a inf -d 'The longest pause'
complete -c backoff-herd -l floor -x -d 'The shortest pause'
complete -c backoff-herd -s g -l growth -x -a 'exponential binary linear quadratic cubic fibonacci constant' -d 'How the pauses grow'
complete -c backoff-herd -s d -l delays -x -d 'The pauses themselves'
complete -c backoff-herd -s j -l jitter -x -a 'none full equal decorrelated smooth' -d 'How a pause is drawn'
complete -c backoff-herd -l splay -x -d 'Wait a random time before the first attempt'
complete -c backoff-herd -s p -l preset -x -a '(__backoff_herd_presets)' -d 'Pause as a known system does'
complete -c backoff-herd -l seed -x -d 'Draw the same pauses each time'

complete -c backoff-herd -s n -l attempts -x -a inf -d 'The most attempts, the first included'
complete -c backoff-herd -s T -l deadline -x -d 'Overall time limit'

complete -c backoff-herd -l log-format -x -a 'text json' -d 'json means --format=json'
complete -c backoff-herd -l format -x -a 'text json svg' -d 'Print text, json or svg, a picture'
complete -c backoff-herd -s h -l help -d 'Print help and exit'
complete -c backoff-herd -s V -l version -d 'Print the version and exit'

