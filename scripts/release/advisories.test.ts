/** The lockfile pins and verifies every package, and a release needs a current look at advisories (ASVS 15.1.2, 15.2.1). */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { explainReview, fingerprintPackages, listUnaccepted, Lockfile, Review } from './advisories.ts';

/** Packages whose install scripts were read and are wanted. None so far: `npm ci --ignore-scripts` installs the same. */
const REVIEWED_INSTALL_SCRIPTS: readonly string[] = [];
const EXACT = /^(?:npm:(?:@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const lockfile = Lockfile.parse(readJson('package-lock.json'));
const installed = Object.entries(lockfile.packages).filter(([path]) => path !== '');

test('every package has a version and a SHA-512, and none comes from another address than the registry', () => {
  expect(installed.length).toBeGreaterThan(500);
  const wrong = installed.filter(
    ([, { version, resolved, integrity }]) =>
      version === undefined ||
      (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')) ||
      !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
  );
  expect(wrong.map(([path]) => path)).toEqual([]);
});

test('no package has an install script that nobody has read', () => {
  const scripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  expect(scripts).toEqual(REVIEWED_INSTALL_SCRIPTS);
});

test('package.json and the lockfile name the same exact versions', () => {
  const Versions = z.record(z.string(), z.string());
  const Manifest = z.object({
    dependencies: Versions,
    devDependencies: Versions,
    optionalDependencies: Versions,
  });
  const manifest = Manifest.parse(readJson('package.json'));
  expect(Manifest.parse(lockfile.packages[''])).toEqual(manifest);
  const { overrides } = z.object({ overrides: Versions }).parse(readJson('package.json'));
  const versions = Object.values({ ...manifest, overrides }).flatMap((each) => Object.entries(each));
  expect(versions.filter(([, version]) => !EXACT.test(version))).toEqual([]);
});

const NONE = Review.parse(readJson('scripts/release/advisories.json'));
const FINGERPRINT = fingerprintPackages(lockfile);
const MADE = { reviewedOn: '2026-11-01', packages: FINGERPRINT, accepted: [] };

test('a review is valid for 30 days', () => {
  expect(explainReview(MADE, FINGERPRINT, new Date('2026-12-01T00:00:00Z'))).toBeUndefined();
});

test.each([
  ['older than 30 days', MADE, '2026-12-02T00:00:00Z'],
  ['packages have changed', { ...MADE, packages: 'x' }, '2026-11-02T00:00:00Z'],
  ['No review', { ...MADE, reviewedOn: null }, '2026-11-02T00:00:00Z'],
])('a review is not valid: %s', (reason, review, now) => {
  expect(explainReview(review, FINGERPRINT, new Date(now))).toContain(reason);
});

test('the packages of a review are those of a release, with their versions', () => {
  const packages = { '': {}, a: { version: '1.0.0' }, b: { version: '2.0.0', dev: true } };
  const of = (changed: Lockfile['packages']) =>
    fingerprintPackages({ packages: { ...packages, ...changed } });
  expect(of({ b: { version: '2.0.1', dev: true } })).toBe(of({}));
  expect(of({ a: { version: '1.0.1' } })).not.toBe(of({}));
  expect(of({ c: { version: '1.0.0' } })).not.toBe(of({}));
});

test('advisories of the registry are refused unless they are accepted for this package', () => {
  const via = [{ name: 'pg', url: 'https://github.com/advisories/GHSA-1', severity: 'high' }, 'pg'];
  const answer = JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: { pg: { via }, x: { via: ['pg'] } },
  });
  const accept = (name: string) => ({
    ...MADE,
    accepted: [{ id: 'GHSA-1', package: name, reason: 'The service does not call it.' }],
  });
  expect(listUnaccepted(answer, MADE)).toEqual(['pg: https://github.com/advisories/GHSA-1']);
  expect(listUnaccepted(answer, accept('pg'))).toEqual([]);
  expect(listUnaccepted(answer, accept('kysely'))).toHaveLength(1);
  expect(listUnaccepted('{"vulnerabilities":{}}', NONE)).toEqual([]);
  for (const none of ['', '405 Method Not Allowed', '{"error":{"code":"E405"}}'])
    expect(listUnaccepted(none, NONE)).toBeUndefined();
});
