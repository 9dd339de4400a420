import type { CommandSyntax } from './commands/command.ts';

export const doctorSyntax = {
  name: 'doctor',
  summary: 'Check the installation: settings, database, disk, clock, mail, TLS, proxies, secrets',
  details: 'Changes nothing. The exit code is 1 if a problem was found; warnings do not change it.',
  options: {},
} as const satisfies CommandSyntax;
