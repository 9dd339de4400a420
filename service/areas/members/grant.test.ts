/** Nobody's capabilities grow by what they do themselves, whatever they hold and whatever they try (T05). */
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  nat,
  record,
  subarray,
  type Arbitrary,
} from 'fast-check';
import { expect, test } from 'vitest';
import type { Capability } from '../../../contract/generated/types.gen.ts';
import { capabilitiesOf } from '../../kernel/auth/store.ts';
import { withTransaction } from '../../kernel/db/transaction.ts';
import type { Calls, Reply } from '../../testing/calls.ts';
import {
  as,
  everything,
  makeGroup,
  makePerson,
  makeSite,
  onEachApp,
  type Person,
} from '../../testing/site.ts';

const RUNS = 12;
const PEOPLE = 4;

interface Model {
  people: number[];
  groups: number[];
  /** Accounts that the actor can sign in as: they get the password mail. */
  owned: Set<number>;
}

const pick = (from: readonly number[], at: number) => from[at % from.length] ?? 0;

/** What one attempt is about, chosen among whatever people and groups there are. */
interface Choice {
  model: Model;
  id: number;
  groupId: number;
  groups: number[];
  capabilities: Capability[];
  email: string;
}

/** What the actor may try. */
const deeds: Record<string, (api: Calls, choice: Choice) => Promise<Reply<unknown>>> = {
  async create(api, { model, email, groups }) {
    const reply = await api.post<number>('user', { email, firstName: 'A', lastName: 'B', groups });
    if (reply.status === 200) {
      model.people.push(reply.body);
      model.owned.add(reply.body);
    }
    return reply;
  },
  async email(api, { model, id, email }) {
    const reply = await api.put('user', { id, email });
    if (reply.status === 200) model.owned.add(id);
    return reply;
  },
  async newGroup(api, { model, email, capabilities }) {
    const reply = await api.post<number>('user/group', { name: email, capabilities });
    if (reply.status === 200) model.groups.push(reply.body);
    return reply;
  },
  groups: (api, { id, groups }) => api.put('user', { id, groups }),
  assign: (api, { id, groups, groupId }) =>
    api.put('user/group', [{ userIds: [id], groupIds: [groupId, ...groups] }]),
  unassign: (api, { id, groups, groupId }) =>
    api.del('user/group', [{ userIds: [id], groupIds: [groupId, ...groups] }]),
  editGroup: (api, { groupId, capabilities }) => api.put(`user/group/${groupId}`, { capabilities }),
  deleteGroup: (api, { groupId }) => api.del(`user/group/${groupId}`),
  license: (api, { id, groupId }) => api.put('userLicense', { userId: id, licenseTypeId: 1 + (groupId % 3) }),
  remove: (api, { id }) => api.del(`user/${id}`),
  reactivate: (api, { id }) => api.put('user', { id, isActive: true }),
};

const attempt = record({
  deed: constantFrom(...Object.keys(deeds)),
  who: nat(),
  which: array(nat(), { maxLength: 3 }),
  capabilities: subarray([...everything]),
});
type Attempt = typeof attempt extends Arbitrary<infer T> ? T : never;

function perform(
  api: Calls,
  model: Model,
  { deed, who, which, capabilities }: Attempt,
): Promise<Reply<unknown>> {
  const act = deeds[deed];
  if (!act) throw new Error(`${deed} is no deed`);
  return act(api, {
    model,
    id: pick(model.people, who),
    groupId: pick(model.groups, who),
    groups: which.map((at) => pick(model.groups, at)),
    capabilities,
    email: `${crypto.randomUUID()}@mine.test`,
  });
}

const someone = subarray([...everything]);
const managers = subarray<Capability>(
  ['Manage Users', 'Manage Groups', 'Manage Licences', 'Manage Settings', 'Read Data'],
  { minLength: 1 },
);

onEachApp((house) => {
  const held = (siteId: number, userId: number) =>
    withTransaction(house().db, {}, (tx) => capabilitiesOf(tx, siteId, userId));

  /** A site with an administrator, people with groups as drawn, and the one who acts. */
  async function draw(
    sets: readonly (readonly Capability[])[],
    actors: readonly Capability[],
  ): Promise<{ actor: Person; model: Model }> {
    const { db } = house();
    const siteId = await makeSite(db);
    const administrator = await makePerson(db, siteId);
    const people: Person[] = [];
    for (const capabilities of sets) people.push(await makePerson(db, siteId, { capabilities }));
    const actor = await makePerson(db, siteId, { capabilities: [...actors, 'Access Web Service'] });
    const all = [actor, administrator, ...people];
    const groups = [...all.map(({ groupId }) => groupId), await makeGroup(db, siteId, ['Manage Backups'])];
    return { actor, model: { people: all.map(({ userId }) => userId), groups, owned: new Set() } };
  }

  test('capabilities of the actor, and of every account they can sign in as, stay within what they had', async () => {
    let done = 0;
    await assert(
      asyncProperty(
        array(someone, { minLength: PEOPLE, maxLength: PEOPLE }),
        managers,
        array(attempt, { minLength: 20, maxLength: 30 }),
        async (sets, actors, attempts) => {
          const { actor, model } = await draw(sets, actors);
          const first = await held(actor.siteId, actor.userId);
          let before = first;
          const api = as(house().app, actor);
          for (const each of attempts) {
            const { status } = await perform(api, model, each);
            expect(status).toBeLessThan(500);
            if (status === 200) done += 1;
            const after = await held(actor.siteId, actor.userId);
            expect([...after].filter((capability) => !before.has(capability))).toEqual([]);
            before = after;
          }
          for (const userId of model.owned) {
            expect(
              [...(await held(actor.siteId, userId))].filter((capability) => !first.has(capability)),
            ).toEqual([]);
          }
        },
      ),
      { numRuns: RUNS },
    );
    // The property says nothing about somebody to whom everything is refused.
    expect(done).toBeGreaterThan(RUNS);
  });
});
