import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs a system package where that is ours to do: as root on Debian and its relatives. */
export function installDebianPackage(name: string): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  console.error(`Installing the system package ${name} …`);
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-q', ...args], {
      // What apt prints goes to stderr: stdout belongs to the caller.
      stdio: ['ignore', 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  return apt('update') && apt('install', '-y', '--no-install-recommends', name);
}
