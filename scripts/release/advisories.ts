/**
 * Known vulnerabilities of the packages of a release: the registry's answer where it gives one, otherwise the review in advisories.json,
 * which is valid for exactly these packages and for 30 days.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const DAY_MS = 86_400_000;
const MAX_REVIEW_AGE_DAYS = 30;
const AUDIT_TIMEOUT_MS = 120_000;

export const Lockfile = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      dev: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
    }),
  ),
});
export type Lockfile = z.infer<typeof Lockfile>;

export const Review = z.strictObject({
  /** Day on which a person compared all packages with an advisory database; null: nobody has. */
  reviewedOn: z.iso.date().nullable(),
  /** The packages that were compared (`fingerprintPackages`). */
  packages: z.string().nullable(),
  /** Advisories that do not affect the service, each with the reason. */
  accepted: z.array(z.strictObject({ id: z.string(), package: z.string(), reason: z.string().min(20) })),
});
type Review = z.infer<typeof Review>;

/** The part of the answer of `npm audit --json` that is read. */
const Audit = z.looseObject({
  vulnerabilities: z.record(
    z.string(),
    z.looseObject({
      via: z.array(z.union([z.string(), z.looseObject({ name: z.string(), url: z.string() })])),
    }),
  ),
});

/** A hash of the names and versions of all packages that a release contains. */
export function fingerprintPackages({ packages }: Lockfile): string {
  const lines = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { version = '' }]) => `${path} ${version}\n`)
    .toSorted();
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** The reason why the review is not valid for these packages on this day; undefined: it is. */
export function explainReview(review: Review, fingerprint: string, now: Date): string | undefined {
  if (review.reviewedOn === null) return 'No review of advisories was made';
  if (review.packages !== fingerprint)
    return `The packages have changed since the review of ${review.reviewedOn}`;
  const ageDays = (now.getTime() - new Date(review.reviewedOn).getTime()) / DAY_MS;
  return ageDays > MAX_REVIEW_AGE_DAYS
    ? `The review of ${review.reviewedOn} is older than ${MAX_REVIEW_AGE_DAYS} days`
    : undefined;
}

/**
 * Advisories of an answer of `npm audit --json` that the review does not accept, as `package: address`; undefined if the text is no
 * such answer, as with a registry that has no advisories.
 */
export function listUnaccepted(answer: string, { accepted }: Review): string[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(answer);
  } catch {
    return undefined;
  }
  const audit = Audit.safeParse(value);
  if (!audit.success) return undefined;
  const found = Object.values(audit.data.vulnerabilities)
    .flatMap(({ via }) => via)
    // A text names another package of the answer, which has the advisory itself.
    .filter((each) => typeof each !== 'string')
    .filter(({ name, url }) => !accepted.some((each) => each.package === name && url.endsWith(`/${each.id}`)))
    .map(({ name, url }) => `${name}: ${url}`);
  return [...new Set(found)].toSorted();
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** The step that a release still needs; undefined: none. */
function findOpenReview(): string | undefined {
  const review = Review.parse(readJson('scripts/release/advisories.json'));
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    encoding: 'utf8',
    timeout: AUDIT_TIMEOUT_MS,
    maxBuffer: 1e8,
  });
  const unaccepted = listUnaccepted(stdout, review);
  if (unaccepted)
    return unaccepted.length === 0 ? undefined : `Advisories to mend or to accept:\n${unaccepted.join('\n')}`;
  const fingerprint = fingerprintPackages(Lockfile.parse(readJson('package-lock.json')));
  const reason = explainReview(review, fingerprint, new Date());
  return reason && `${reason}, and the registry does not answer npm audit (packages ${fingerprint})`;
}

/**
 * Refuses packages with an advisory that is not accepted, and packages about which nothing is known; with `allowsUnreviewed` it only
 * warns.
 * @throws Error with the advisories or the reason
 */
export function checkAdvisories(allowsUnreviewed: boolean): void {
  const open = findOpenReview();
  if (open === undefined) return;
  if (!allowsUnreviewed) throw new Error(`${open}\nSee docs/dependencies.md, "Advisories"`);
  console.log(`Warning: ${open}`);
}
