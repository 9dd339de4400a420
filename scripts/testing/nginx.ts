/** nginx with the example of deploy/, for tests. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installDebianPackage } from './debian.ts';
import { findFreePort } from './free-port.ts';

const isInstalled = (): boolean => spawnSync('nginx', ['-v']).error === undefined;

/** Installs nginx where it is missing and can be had; else a message says that tests are skipped. @returns whether nginx can be used */
export function ensureNginx(): boolean {
  const has = isInstalled() || (installDebianPackage('nginx') && isInstalled());
  if (!has) console.error('Tests with nginx are skipped: install nginx (Debian: apt install nginx).');
  return has;
}

const CREATE_CERTIFICATE =
  'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=steward.example';

/** Starts nginx in front of services on these ports of this machine. */
export async function startNginx(
  ports: readonly number[],
): Promise<{ port: number; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-nginx-'));
  // The workers run as another user when this process is root.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'temp'));
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
  execFileSync('openssl', [...CREATE_CERTIFICATE.split(' '), ...files], { stdio: 'ignore' });
  const port = await findFreePort();
  const servers = ports.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=2s;`);
  const conf = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')
    .replace('server 127.0.0.1:4400 max_fails=1 fail_timeout=2s;', servers.join(' '))
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('listen 80;', `listen 127.0.0.1:${await findFreePort()};`)
    .replaceAll('/etc/ssl/steward', folder);
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/temp/${name};`)
    .join(' ');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {} http { access_log off; ${temp}\n${conf} }`,
  );
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  return {
    port,
    async stop() {
      nginx.kill('SIGTERM');
      if (nginx.exitCode === null && nginx.signalCode === null) await once(nginx, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}
