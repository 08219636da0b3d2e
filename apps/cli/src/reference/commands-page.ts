import type { Command } from 'commander';

/** Every command with its arguments and options. */
export function commandsPage(program: Command): string {
  return [
    '# Commands',
    '',
    '<!-- Generated from apps/cli by `npm run cli -- reference`; a test compares them. -->',
    '',
    `\`npm run cli -- <command>\`. ${program.description()}`,
    '',
    ...leavesOf(program).flatMap(({ path, command }) => sectionOf(path, command)),
  ].join('\n');
}

interface Leaf {
  readonly path: string;
  readonly command: Command;
}

const leavesOf = (command: Command, path = ''): readonly Leaf[] =>
  command.commands.length === 0
    ? [{ path, command }]
    : command.commands.flatMap((child) => leavesOf(child, path === '' ? child.name() : `${path} ${child.name()}`));

function sectionOf(path: string, command: Command): string[] {
  const { registeredArguments, options } = command;
  const names = registeredArguments.map((argument) => ` ${argument.required ? `<${argument.name()}>` : `[${argument.name()}]`}`);
  return [
    `## ${path}${names.join('')}`,
    sentence(command.description()),
    '',
    ...(options.length === 0 ? [] : ['| option | required | default | description |', '|---|---|---|---|']),
    ...options.map((option) => {
      const standard = option.defaultValue === undefined ? '' : `\`${String(option.defaultValue)}\``;
      return `| \`${option.flags}\` | ${option.mandatory ? 'yes' : ''} | ${standard} | ${option.description.replaceAll('|', '\\|')} |`;
    }),
    ...(options.length === 0 ? [] : ['']),
  ];
}

const sentence = (text: string): string => (text === '' ? '' : `${text[0]!.toUpperCase()}${text.slice(1)}.`);
