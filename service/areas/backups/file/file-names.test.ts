import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { inspect } from 'node:util';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { BACKUPS, listBackups, makeBackup } from '../../../testing/backups.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../../testing/site.ts';

const TARGETS = ['etc/passwd', 'db/cluster/PG_VERSION', 'admin.sock', 'backups', 'files'];
const CLIMBS = [
  '..%2f',
  '%2e%2e%2f',
  '..%5c',
  '..%252f',
  '..%c0%af',
  '%2f',
  '....//',
  '%2f%2e%2f',
  '..%2f%2f',
  '..;/',
  '%u2215',
  '．．%2f',
  '‥/',
];

/** Names that an attacker may put into the path. */
function buildHostileNames(ownName: string, otherName: string): string[] {
  const climbing = CLIMBS.flatMap((climb) =>
    TARGETS.flatMap((target) => [1, 3, 8].map((n) => encodeURI(climb.repeat(n)) + target)),
  );
  const bent = [ownName, otherName].flatMap((name) => [
    `${name}%00`,
    `${name}%00.zip`,
    `${name}.`,
    `${name}%20`,
    `%20${name}`,
    name.toUpperCase(),
    `.%2f${name}`,
    `${name}%2f..%2f${name}`,
    `${name}::$DATA`,
    `${name}%0d%0a`,
    `${name}%e2%80%8b`,
    `${name}.partial`,
    `*`,
    `%25`,
    `${name}?`.replace('?', '%3f'),
    name.replace('.zip', ''),
    `"${name}"`,
    `'or'1'='1`,
    `${name}';--`,
    name.normalize('NFD').replaceAll('-', '‐'),
  ]);
  const long = [250, 255, 256, 1000, 4000].map((n) => 'a'.repeat(n));
  const odd = Array.from({ length: 60 }, (_, at) =>
    encodeURIComponent(String.fromCodePoint(1 + at * 17) + ownName),
  );
  return [
    ...climbing,
    ...bent,
    ...long,
    ...odd,
    otherName,
    'CON',
    'NUL.zip',
    '~',
    '%7e%2f',
    'file:%2f%2f%2fetc%2fpasswd',
  ];
}

const OPENERS = [
  'open',
  'openSync',
  'createReadStream',
  'readFile',
  'readFileSync',
  'stat',
  'lstat',
  'rm',
  'unlink',
] as const;
const PROMISED = ['open', 'readFile', 'stat', 'lstat', 'rm', 'unlink', 'readdir'] as const;

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** Records every path that this process accesses from now on. */
function recordPaths(): () => string[] {
  const spies = [
    ...OPENERS.map((name) => vi.spyOn(fs, name)),
    ...PROMISED.map((name) => vi.spyOn(fs.promises, name)),
  ];
  syncBuiltinESMExports();
  return () => spies.flatMap((spy) => spy.mock.calls.map(([path]) => inspect(path)));
}

onEachApp((context) => {
  let person: Person;
  let other: Person;
  const names: string[] = [];
  beforeAll(async () => {
    const { db, app } = context();
    person = await makePerson(db, await makeSite(db));
    other = await makePerson(db, await makeSite(db));
    for (const who of [person, other]) names.push((await makeBackup(db, as(app, who))).backup.fileName);
  });

  test('more than 300 hostile names are rejected without any file access', async () => {
    const hostile = buildHostileNames(names[0] ?? '', names[1] ?? '');
    expect(hostile.length).toBeGreaterThan(300);
    const headers = { authorization: `Bearer ${person.token}` };
    const watched = recordPaths();
    for (const [at, name] of hostile.entries()) {
      const requests = [
        { method: 'GET', url: `${BACKUPS}/${name}` },
        [
          { method: 'POST', url: `${BACKUPS}/delete/${name}` },
          { method: 'POST', url: `${BACKUPS}/${name}/download-token` },
          { method: 'GET', url: `${BACKUPS}/${name}/contents` },
          { method: 'POST', url: `${BACKUPS}/verify/${name}` },
        ][at % 4] ?? { method: 'GET', url: '/' },
      ] as const;
      for (const request of requests) {
        const reply = await context().app.inject({ ...request, headers });
        expect.soft(getExpectedStatuses(name), `${request.method} ${name}`).toContain(reply.statusCode);
      }
    }
    const paths = watched();
    expect(paths.filter((path) => !path.includes('node_modules'))).toEqual([]);
    const { db, app } = context();
    expect((await listBackups(as(app, person))).length).toBe(1);
    expect((await listBackups(as(app, other))).length).toBe(1);
    expect(await db.selectFrom('backup_download').selectAll().execute()).toEqual([]);
  });
});

/** 400 for names that cannot be stored or decoded; 404 for all others, because no backup has them. */
const getExpectedStatuses = (name: string): readonly number[] => {
  // Longer than any route accepts: 404 or 414.
  if (name.length > 256) return [404, 414];
  return [/%00|%c0%af|%u2215/i.test(name) ? 400 : 404];
};
