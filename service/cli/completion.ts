import type { Command } from 'commander';

/** Shells for which the completion is printed. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Words that can follow a path of command words: subcommands and long options. */
interface Completion {
  /** Command words from the program on, such as `site create`; empty for the program itself. */
  path: string;
  words: readonly string[];
}

const listCompletions = (command: Command, path: readonly string[] = []): Completion[] => [
  {
    path: path.join(' '),
    words: [
      ...command.commands.map((each) => each.name()),
      ...command.options.flatMap(({ long }) => long ?? []),
      '--help',
    ],
  },
  ...command.commands.flatMap((each) => listCompletions(each, [...path, each.name()])),
];

/** The script that completes the commands and options of the program in a shell. */
export function formatCompletion(program: Command, shell: Shell): string {
  const name = program.name();
  const completions = listCompletions(program);
  if (shell === 'fish')
    return completions
      .flatMap(({ path, words }) => words.map((word) => formatFishLine(name, path, word)))
      .join('');
  const cases = completions
    .map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;\n`)
    .join('');
  const bash = `_${name}() {
  local path='' word words='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  while :; do
    case "$path" in
${cases.replaceAll(/^/gm, '  ').trimEnd()}
    esac
    [ -n "$words" ] || [ -z "$path" ] && break
    case "$path" in *' '*) path="\${path% *}" ;; *) path='' ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _${name} ${name}
`;
  return shell === 'bash' ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
}

function formatFishLine(name: string, path: string, word: string): string {
  const seen = path
    .split(' ')
    .filter(Boolean)
    .map((each) => `__fish_seen_subcommand_from ${each}`)
    .join('; and ');
  const condition = seen === '' ? '__fish_use_subcommand' : seen;
  const subject = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
  return `complete -c ${name} -f -n '${condition}' ${subject}\n`;
}
