/** Random requests, repetitions and changes of users against a model of the counts (security.md 6.4, I8). */
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { ImportResult } from '../../../../contract/generated/types.gen.ts';
import type { Db } from '../../../kernel/db/database.ts';
import {
  enableRelationships,
  getCounts,
  importEmails,
  makeEmails,
  resetGate,
} from '../../../testing/relationships.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../../testing/site.ts';

const DAY_MS = 86_400_000;
const NOW = Date.now();

/** E-mails by number, in chronological order. */
const EMAILS = [
  { days: 400, skip: 'old' },
  { days: 300, skip: 'history' },
  { days: 299, skip: 'history' },
  { days: 3, skip: 'never' },
  { days: 2, skip: 'excluded' },
  { days: 2, skip: 'never' },
  { days: 1, skip: 'never' },
] as const;

const toEmail = (number: number) => {
  const { days = 0, skip } = EMAILS[number] ?? {};
  const domain = skip === 'excluded' ? 'private.test' : 'outside.test';
  const date = new Date(NOW - days * DAY_MS + number).toISOString();
  const recipientsTo = [{ address: `person@${domain}`, name: '' }];
  return makeEmails(1, { sentDate: date, modifiedDate: date, recipientsTo }, `model-${number}`);
};

interface Step {
  kind: 'import' | 'repeat' | 'enable' | 'disable' | 'complete';
  /** Position of the user whose state changes. */
  user: number;
  /** For an import: positions of users, each with the numbers of e-mails. */
  lists: readonly (readonly [user: number, numbers: readonly number[]])[];
}

const USERS = 3;
const anyUser = fc.nat(USERS - 1);
const anyList = fc.uniqueArray(fc.nat(EMAILS.length - 1), { maxLength: EMAILS.length });
const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('import', 'import', 'import', 'repeat', 'enable', 'disable', 'complete'),
  user: anyUser,
  lists: fc
    .uniqueArray(fc.tuple(anyUser, anyList), { selector: ([user]) => user, minLength: 1 })
    .map((lists) => lists.map(([user, numbers]) => [user, numbers.toSorted((a, b) => a - b)] as const)),
});

/** State of a site after requests. */
class Model {
  readonly items = new Set<number>();
  readonly links = new Set<string>();
  readonly enabled = new Set(Array.from({ length: USERS }, (_, user) => user));
  readonly completed = new Set<number>();

  /** The status and the counts of each user: received, added, alreadyProcessed, skipped. */
  import(lists: Step['lists']): number[][] {
    return lists.map(([user, numbers]) => {
      const received = numbers.length;
      if (!this.enabled.has(user)) return [2, received, 0, 0, received];
      const taken = numbers.filter((number) => !this.#isSkipped(number, user));
      const added = taken.filter((number) => !this.items.has(number));
      for (const number of taken) {
        this.items.add(number);
        this.links.add(`${user} ${number}`);
      }
      const skipped = received - taken.length;
      return [skipped > 0 ? 3 : 1, received, added.length, taken.length - added.length, skipped];
    });
  }

  #isSkipped(number: number, user: number): boolean {
    const skip = EMAILS[number]?.skip;
    return skip === 'old' || skip === 'excluded' || (skip === 'history' && this.completed.has(user));
  }
}

const toResult = (result: ImportResult): number[] => [result.status, ...getCounts(result)];

async function changeUser(db: Db, model: Model, { kind, user }: Step, { siteId, userId }: Person) {
  const where = sql`where site_id = ${siteId} and user_id = ${userId}`;
  if (kind === 'complete') {
    model.completed.add(user);
    await sql`update ri_user set history_completed_at = now() ${where}`.execute(db);
  } else {
    if (kind === 'enable') model.enabled.add(user);
    else model.enabled.delete(user);
    await sql`update ri_user set is_enabled = ${kind === 'enable'} ${where}`.execute(db);
  }
}

onEachApp((context) => {
  test('the counts of random requests are those of the model, and the stored rows too', async () => {
    const { db, app } = context();
    const check = async (steps: readonly Step[]): Promise<void> => {
      const siteId = await makeSite(db);
      const people: Person[] = [];
      for (let user = 0; user < USERS; user += 1) people.push(await makePerson(db, siteId));
      const at = (user: number): Person => {
        const person = people[user];
        if (!person) throw new Error(`There is no user ${user}`);
        return person;
      };
      await enableRelationships(
        db,
        siteId,
        people.map(({ userId }) => userId),
      );
      await sql`insert into ri_exclusion (site_id, value, created_by)
        values (${siteId}, 'private.test', ${at(0).userId})`.execute(db);
      const model = new Model();
      let last: Step['lists'] = [];
      const answers: unknown[] = [];
      const expected: unknown[] = [];
      for (const step of steps) {
        if (step.kind !== 'import' && step.kind !== 'repeat') {
          await changeUser(db, model, step, at(step.user));
          continue;
        }
        last = step.kind === 'repeat' ? last : step.lists;
        await resetGate(db, siteId);
        const items = last.map(([user, numbers]) => ({
          userId: at(user).userId,
          emails: numbers.flatMap(toEmail),
        }));
        const { status, body } = await importEmails(as(app, at(0)), items);
        answers.push([status, body.map(toResult)]);
        expected.push([200, model.import(last)]);
      }
      expect(answers).toEqual(expected);
      const { rows } = await sql<{ items: number; links: number }>`
        select (select count(*)::int from ri_item where site_id = ${siteId}) as items,
          (select count(*)::int from ri_item_user where site_id = ${siteId}) as links`.execute(db);
      expect(rows).toEqual([{ items: model.items.size, links: model.links.size }]);
    };
    await fc.assert(fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 10 }), check), {
      numRuns: 10,
    });
  }, 120_000);
});
