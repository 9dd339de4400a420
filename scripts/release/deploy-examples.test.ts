/** The examples in deploy/: each is checked by the tool that reads it, where the tool is installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { buildRedirectUrl } from '../../service/areas/identity/sign-in.ts';
import { createProgram } from '../../service/cli/program.ts';
import { readConfig } from '../../service/kernel/config.ts';
import { ensureNginx, startNginx } from '../testing/nginx.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const isInstalled = (command: string): boolean => spawnSync(command, ['--version']).error === undefined;

test('README lists every setting that the service reads', () => {
  const code = read('service/kernel/config.ts');
  const reads = code.matchAll(/(?:env\[|isOn\(|readNumber\()\s*'([A-Z_]+)'/g);
  const settings = [...new Set([...reads].map(([, name = '']) => name))];
  expect(settings.length).toBeGreaterThan(25);
  const readme = read('README.md');
  expect(settings.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});

test('the settings that docs/deploying.md proposes are valid', () => {
  const block = /Write the settings to .*\n\n```\n([^`]+)```/.exec(read('docs/deploying.md'))?.[1] ?? '';
  const settings = block
    .trim()
    .split('\n')
    .map((line): [string, string] => {
      const [, name = line, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return [name, name === 'STEWARD_SECRET_KEY' ? Buffer.alloc(32).toString('base64') : value];
    });
  expect(settings.length).toBeGreaterThan(5);
  expect(readConfig(Object.fromEntries(settings))).toMatchObject({
    createsSample: false,
    stopDelaySeconds: 10,
  });
});

test('docs/deploying.md names the redirect URI that providers must know', () =>
  expect(read('docs/deploying.md')).toContain(`\`${buildRedirectUrl('PUBLIC_URL')}\``));

test.each(['README.md', 'docs/deploying.md', 'docs/operating.md', 'deploy/helm/steward/templates/NOTES.txt'])(
  'the commands in %s exist with their options',
  (page) => {
    const program = createProgram({
      runOnDatabase: () => Promise.resolve(0),
      write: () => {},
      writeNote: () => {},
      setExitCode: () => {},
    });
    const content = read(page);
    const fenced = [...content.matchAll(/^```\n([^`]+)^```/gm)].flatMap(([, block = '']) =>
      block.split('\n'),
    );
    const spans = [...content.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
    const lines = page.endsWith('.md') ? [...fenced, ...spans] : content.split('\n');
    const commands = lines.flatMap((line) => {
      const [, command] =
        /(?:^|bin\/|-- |exec steward |\$\()steward ((?!--)[a-z][^)]*)/.exec(line) ??
        /^npm run (?:--silent )?steward -- ([a-z].*)/.exec(line) ??
        [];
      return command ?? [];
    });
    expect(commands.length).toBeGreaterThan(1);
    const findFault = (command: string): string | undefined => {
      const words = command.split(/[\s,"|[\]]+/);
      if (words[0] === 'help') return undefined;
      const found = program.commands.find((each) => each.name() === words[0]);
      if (!found) return `steward ${words[0]}`;
      const sub = found.commands.find((each) => each.name() === words[1]);
      if (found.commands.length > 0 && !sub) return `steward ${words[0]} ${words[1]}`;
      const options = [...program.options, ...(sub ?? found).options].map(({ long }) => long);
      const unknown = words.find((word) => word.startsWith('--') && !options.includes(word));
      return unknown === undefined ? undefined : `${command}: ${unknown}`;
    };
    expect(commands.map(findFault).filter((fault) => fault !== undefined)).toEqual([]);
  },
);

test('the compose file sets valid settings, and its services know the files that they mount', () => {
  const Compose = z.object({
    services: z.record(
      z.string(),
      z.looseObject({
        environment: z.record(z.string(), z.string()).optional(),
        volumes: z.array(z.string()).optional(),
      }),
    ),
    volumes: z.record(z.string(), z.unknown()),
  });
  const { services, volumes } = Compose.parse(parse(read('deploy/compose.yaml')));
  const environment = Object.entries(services['steward']?.environment ?? {}).map(([name, value]) => [
    name,
    value
      .replace('${STEWARD_SECRET_KEY:?}', Buffer.alloc(32).toString('base64'))
      .replace('${SMTP_URL:?}', 'smtp://a')
      .replaceAll(/\$\{\w+:\?\}/g, 'a'),
  ]);
  const config = readConfig(Object.fromEntries(environment));
  expect(config).toMatchObject({ metrics: { host: '0.0.0.0', port: 9400 }, createsSample: false });
  // The manager must wait longer than the service takes.
  expect(config.stopDelaySeconds + config.stopTimeoutSeconds).toBeLessThan(
    Number.parseInt(String(services['steward']?.['stop_grace_period']), 10),
  );
  const mounts = Object.values(services).flatMap(({ volumes: mounted = [] }) => mounted);
  const sources = mounts.map((mount) => mount.split(':')[0] ?? '');
  const isKnown = (source: string): boolean =>
    source.startsWith('./') ? existsSync(join(root, 'deploy', source)) : Object.hasOwn(volumes, source);
  expect(sources.filter((source) => !isKnown(source))).toEqual([]);
});

test('the image copies and starts what a release contains, as its own user', () => {
  const lines = read('deploy/Dockerfile')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !/^(#|\s)/.test(line));
  const KNOWN = /^(FROM|ARG|COPY|RUN|ENV|USER|WORKDIR|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|CMD) /;
  expect(lines.filter((line) => !KNOWN.test(line))).toEqual([]);
  expect(lines.findIndex((line) => line === 'USER steward')).toBeGreaterThan(
    lines.findLastIndex((line) => line.startsWith('RUN')),
  );
  const command = z.array(z.string()).parse(JSON.parse(lines.at(-1)?.replace('CMD ', '') ?? ''));
  expect(() => read(command[0]?.replace('/opt/steward/', '') ?? '')).not.toThrow();
  for (const line of lines.filter((each) => each.startsWith('RUN')))
    execFileSync('sh', ['-n', '-c', line.slice(4)]);
});

// Only distributions with systemd have the program.
test.skipIf(!isInstalled('systemd-analyze'))('the unit is valid and hardened', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-unit-'));
  const unit = join(folder, 'steward.service');
  // The path of an installation that does not exist here.
  writeFileSync(unit, read('deploy/steward.service').replaceAll('/opt/steward', root));
  const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  const complaints = verified.stderr.split('\n').filter((line) => line.includes('steward.service'));
  expect(complaints).toEqual([]);
  // At most 2.0 of 10.
  const security = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]);
  rmSync(folder, { recursive: true });
  expect(security.status).toBe(0);
});

// Without nginx where it is not installed and cannot be (Debian as root can).
test.skipIf(!ensureNginx())('nginx passes on large bodies, addresses and request ids', async () => {
  const upstream = createServer((incoming, response) => {
    const { headers } = incoming;
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write(`${String(headers['x-forwarded-for'])} ${String(headers['x-request-id'])}\n`);
    void text(incoming).then((body) => response.end(String(body.length)));
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const bound = upstream.address();
  const { port, stop } = await startNginx([typeof bound === 'object' && bound ? bound.port : 0]);
  const post = (body: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = {
        port,
        host: '127.0.0.1',
        method: 'POST',
        rejectUnauthorized: false,
        headers: { host: 'steward.example' },
      };
      request(options, (response) => resolve(text(response)))
        .once('error', reject)
        .end(body);
    });
  try {
    const size = 3_000_000;
    const answer = await expect
      .poll(() => post('x'.repeat(size)).catch(() => ''), { timeout: 5_000 })
      .toMatch(new RegExp(`^127\\.0\\.0\\.1 [0-9a-f]{32}\\n${size}$`))
      .then(() => true);
    expect(answer).toBe(true);
  } finally {
    await stop();
    upstream.closeAllConnections();
    upstream.close();
  }
});
