import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

function apt(...args: string[]): boolean {
  // The output of apt goes to stderr, because stdout belongs to the caller.
  const stdio = ['ignore', 2, 2] as const;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', ['-q', ...args], { stdio: [...stdio], env }).status === 0;
}

/** Installs a system package when running as root on Debian or a derivative. @returns whether the package is installed */
export function installDebianPackage(name: string): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  console.error(`Installing the system package ${name} …`);
  return apt('update') && apt('install', '-y', '--no-install-recommends', name);
}
