# SPDX-License-Identifier: MIT
#
# fish completion for backoff(1)

# The wrapped command and what follows it, NUL-separated; fails where the
# command line is still within the options of backoff.
function __backoff_command
    set -l tokens (commandline -opc) (commandline -ct)
    set -e tokens[1]
    set -l options b/base= f/factor= c/cap= floor= g/growth= d/delays=
    set -a options j/jitter= splay= reset-after= from= p/preset= seed=
    set -a options n/attempts= t/timeout= T/deadline= until= idle-timeout= s/signal=
    set -a options k/kill-after= grace= consecutive= flaky-status= wake-on= die-with-parent
    set -a options success-on=+ pass-on=+ r/retry-on=+ throttle-on=+ x/stop-on=+
    set -a options success-if=+ retry-if=+ throttle-if=+ stop-if=+
    set -a options watch= 'tool=?' 'retry-after=?' hint-max= i/stdin= spool-limit= 'o/hold=?'
    set -a options quiet-success quiet-repeats gate= gate-wait= slots= slots-wait= defer= state-dir=
    set -a options q/quiet v/verbose name= log-format= log-file= plan format=
    set -a options before-retry= at-end= 'h/help=?' V/version
    argparse -s $options -- $tokens 2>/dev/null
    or return 1
    # Of "backoff -" argparse says that "-" is an operand.
    test -n "$argv[1]"; and not string match -q -- '-*' $argv[1]
    and string join0 -- $argv
end

function __backoff_own
    not __backoff_command >/dev/null
    and not contains -- -- (commandline -opc)
end

function __backoff_complete_command
    __fish_complete_subcommand --commandline (__backoff_command | string split0)
end

function __backoff_signals
    __fish_make_completion_signals
    for signal in $__kill_signals
        string split -f 2 ' ' -- $signal
    end
end

function __backoff_presets
    string split ' ' -- list ethernet sip-invite sip-request tcp dhcp apue \
        jpillora celery aws-full aws-equal aws-decorrelated aws-sdk \
        aws-sdk-2026 aws-dynamodb-2026 \
        grpc-connect grpc-retry google cenkalti resilience4j tenacity polly \
        envoy curl kubernetes kubernetes-job systemd smtp polling wechat-pay \
        alipay sre
end

function __backoff_tools
    string split ' ' -- list sysexits curl wget http aria2c msmtp rsync ssh scp git \
        apt-get pip npm svn hg gh cargo go gem docker skopeo podman kubectl aws \
        gcloud rclone restic borg psql pg_isready pg_dump mysql ping \
        ansible-playbook
end

function __backoff_codes
    set -l codes nonzero any signal timeout start
    set -a codes usage dataerr noinput nouser nohost unavailable software oserr
    set -a codes osfile cantcreat ioerr tempfail protocol noperm config
    set -a codes (__backoff_signals)
    __fish_append , $codes
end

complete -c backoff -f -a '(__backoff_complete_command)'

complete -c backoff -n __backoff_own -s b -l base -x -d 'Upper bound of the first pause'
complete -c backoff -n __backoff_own -s f -l factor -x -d 'Multiply that bound after each failure'
complete -c backoff -n __backoff_own -s c -l cap -x -a inf -d 'The longest pause'
complete -c backoff -n __backoff_own -l floor -x -d 'The shortest pause'
complete -c backoff -n __backoff_own -s g -l growth -x -a 'exponential binary linear quadratic cubic fibonacci constant' -d 'How the pauses grow'
complete -c backoff -n __backoff_own -s d -l delays -x -d 'The pauses themselves'
complete -c backoff -n __backoff_own -s j -l jitter -x -a 'none full equal decorrelated smooth' -d 'How a pause is drawn'
complete -c backoff -n __backoff_own -l splay -x -d 'Wait a random time before the first attempt'
complete -c backoff -n __backoff_own -l reset-after -x -d 'Start the count again after an attempt that ran this long'
complete -c backoff -n __backoff_own -s p -l preset -x -a '(__backoff_presets)' -d 'Pause as a known system does'
complete -c backoff -n __backoff_own -l seed -x -d 'Draw the same pauses each time'

complete -c backoff -n __backoff_own -s n -l attempts -x -a inf -d 'The most attempts, the first included'
complete -c backoff -n __backoff_own -s t -l timeout -x -d 'Limit each attempt to this long'
complete -c backoff -n __backoff_own -s T -l deadline -x -d 'Overall time limit'
complete -c backoff -n __backoff_own -l until -x -d 'Start no attempt after this time'
complete -c backoff -n __backoff_own -l idle-timeout -x -d 'End an attempt that has printed nothing for this long'
complete -c backoff -n __backoff_own -s s -l signal -x -a '(__backoff_signals)' -d 'The signal that a timeout sends first'
complete -c backoff -n __backoff_own -s k -l kill-after -x -a inf -d 'Then send KILL this much later'
complete -c backoff -n __backoff_own -l grace -x -a inf -d 'After HUP, INT, QUIT or TERM, KILL what is left of the attempt this much later'
complete -c backoff -n __backoff_own -l consecutive -x -d 'Succeed only after so many successes in a row'
complete -c backoff -n __backoff_own -l flaky-status -x -d 'Exit with this status after a success that followed a failed attempt'
complete -c backoff -n __backoff_own -l die-with-parent -d 'End when the process that started backoff ends'
complete -c backoff -n __backoff_own -l wake-on -x -a 'HUP USR1 USR2 ALRM WINCH IO' -d 'End the pause and try again on this signal'

complete -c backoff -n __backoff_own -l success-on -x -a '(__backoff_codes)' -d 'Count these as success too'
complete -c backoff -n __backoff_own -l pass-on -x -a '(__backoff_codes)' -d 'Not a failure: end immediately and keep this status'
complete -c backoff -n __backoff_own -s r -l retry-on -x -a '(__backoff_codes)' -d 'Retry these, and nothing else'
complete -c backoff -n __backoff_own -l throttle-on -x -a '(__backoff_codes)' -d 'Retry these after the longer pause'
complete -c backoff -n __backoff_own -s x -l stop-on -x -a '(__backoff_codes)' -d 'Never retry these'
complete -c backoff -n __backoff_own -l success-if -x -d 'Succeed if, and only if, a line matches'
complete -c backoff -n __backoff_own -l retry-if -x -d 'Retry if a line matches, and nothing else'
complete -c backoff -n __backoff_own -l throttle-if -x -d 'Retry after the longer pause if a line matches'
complete -c backoff -n __backoff_own -l stop-if -x -d 'Never retry if a line matches'
complete -c backoff -n __backoff_own -l watch -x -a 'stdout stderr both' -d 'Where the conditions and --retry-after look'
complete -c backoff -n __backoff_own -l tool -a '(__backoff_tools)' -d 'Use what backoff knows about a command'
complete -c backoff -n __backoff_own -l retry-after -a '' -d 'Wait as long as the output asks for'
complete -c backoff -n __backoff_own -l hint-max -x -a inf -d 'Give up if asked to wait longer'

complete -c backoff -n __backoff_own -l gate -x -a 'list open: fleet:' -d 'While a service is down, let one run at a time try'
complete -c backoff -n __backoff_own -l gate-wait -x -a '0 inf' -d 'Wait at most this long at a shut gate'
complete -c backoff -n __backoff_own -l slots -x -a fleet: -d 'Run at most N attempts at once, of all runs that name it'
complete -c backoff -n __backoff_own -l slots-wait -x -a '0 inf' -d 'Wait at most this long for a slot; 0: skip the run'
complete -c backoff -n __backoff_own -l defer -x -d 'After a run gives up, put off the next ones with its NAME'
complete -c backoff -n __backoff_own -l state-dir -x -a '(__fish_complete_directories)' -d 'Where these options keep their files'

complete -c backoff -n __backoff_own -s i -l stdin -x -a 'replay inherit null' -d 'What each attempt finds on its standard input'
complete -c backoff -n __backoff_own -l spool-limit -x -d 'Keep at most this much of stdin for further attempts'
complete -c backoff -n __backoff_own -s o -l hold -a 'stdout all' -d 'Hold back the output until the attempt has succeeded or failed'
complete -c backoff -n __backoff_own -l quiet-success -d 'For cron: print nothing unless backoff gives up'
complete -c backoff -n __backoff_own -l quiet-repeats -d 'For cron: the same, once until runs succeed again'

complete -c backoff -n __backoff_own -s q -l quiet -d 'Print only why backoff gives up'
complete -c backoff -n __backoff_own -s v -l verbose -d 'Also successes, signals, the settings'
complete -c backoff -n __backoff_own -l name -x -d 'The name in every log line'
complete -c backoff -n __backoff_own -l log-format -x -a 'text json github' -d 'Format of the log'
complete -c backoff -n __backoff_own -l log-file -r -F -d 'Append the log there'
complete -c backoff -n __backoff_own -l plan -d 'Preview the pauses as a table and a chart; run nothing'
complete -c backoff -n __backoff_own -l format -x -a 'text json svg' -d 'With --plan, text, json or svg, a picture'
complete -c backoff -n __backoff_own -l before-retry -x -a '(__fish_complete_command)' -d 'Run after each pause'
complete -c backoff -n __backoff_own -l at-end -x -a '(__fish_complete_command)' -d 'Run at the end'
complete -c backoff -n __backoff_own -s h -l help -a all -d 'Print the usual options, or all, and exit'
complete -c backoff -n __backoff_own -s V -l version -d 'Print the version and exit'

complete -c backoff -n __backoff_own -l from -x -a 'end start' -d 'Count the pause from that of the attempt'
