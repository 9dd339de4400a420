/**
 * Who may act for whom, with which capabilities, against a model of thirty lines: random assignments, deactivations,
 * licenses, capabilities, beginnings, ends and requests (T06).
 */
import { array, assert, asyncProperty, constant, nat, oneof, subarray, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import type { Capability, Session } from '../../../contract/generated/types.gen.ts';
import { capabilitiesWhenActing } from '../../../contract/rules/proxies.ts';
import type { Calls } from '../../testing/calls.ts';
import {
  as,
  makePerson,
  makeSite,
  makeToken,
  onEachApp,
  openSession,
  type Person,
} from '../../testing/site.ts';

/** What acting means is the same on both, what the statements say may not be: each draws anew at every run. */
const RUNS = { postgres: 12, embedded: 6 };
/** So few that what concerns each other happens often. */
const PEOPLE = 3;
const CAPABILITIES: readonly Capability[] = [
  'Access Web Service',
  'View Activity',
  'Read Data',
  'Manage Users',
];

/** Somebody as the model has them. */
interface Modelled {
  active: boolean;
  licensed: boolean;
  held: ReadonlySet<Capability>;
  /** Whom their session acts for, as far as it knows. */
  actsFor: number | undefined;
}

class Model {
  readonly people: Modelled[] = Array.from({ length: PEOPLE }, () => ({
    active: true,
    licensed: true,
    held: new Set(CAPABILITIES),
    actsFor: undefined,
  }));
  readonly assigned = new Set<string>();

  who(at: number): Modelled {
    const person = this.people[at];
    if (!person) throw new Error('Nobody');
    return person;
  }

  /** Whether somebody is let in at all. */
  isIn(at: number): boolean {
    return this.who(at).active && this.who(at).licensed;
  }

  mayActFor(proxy: number, principal: number): boolean {
    return this.assigned.has(`${proxy}:${principal}`) && this.isIn(proxy) && this.isIn(principal);
  }

  /** What somebody can do: for the principal only what that one passes on, whatever they hold themselves. */
  can(at: number, principal: number | undefined): ReadonlySet<Capability> {
    return principal === undefined ? this.who(at).held : capabilitiesWhenActing(this.who(principal).held);
  }

  /** Ends acting that holds no longer; whether it did. */
  lapses(at: number): boolean {
    const { actsFor } = this.who(at);
    const lapsed = actsFor !== undefined && !this.mayActFor(at, actsFor);
    if (lapsed) this.who(at).actsFor = undefined;
    return lapsed;
  }
}

/** The real people, with credentials that are made anew where the service has ended them. */
interface World {
  model: Model;
  admin: Calls;
  persons: Person[];
  program(at: number): Calls;
  console(at: number): Calls;
  revive(at: number): Promise<void>;
}

/** Does something and answers what was said beside what the model says. */
type Deed = (world: World) => Promise<{ said: unknown; expected: unknown }>;

const someone = nat({ max: PEOPLE - 1 });
/** People rest for a while, and assignments are there for longer than not. */
const mostly = oneof({ weight: 2, arbitrary: constant(true) }, { weight: 1, arbitrary: constant(false) });
const idOf = (world: World, at: number) => world.persons[at]?.userId ?? 0;
const shows = (can: ReadonlySet<Capability>) => can.has('View Activity') || can.has('Manage Users');

const assigns = tuple(someone, someone, mostly).map(([proxy, user, add]): Deed => async (world) => {
  const pair = { proxyUserId: idOf(world, proxy), userId: idOf(world, user) };
  const { status: said } = await world.admin.post('user/proxy/changes', { [add ? 'add' : 'remove']: [pair] });
  const key = `${proxy}:${user}`;
  const { assigned } = world.model;
  const fits = proxy !== user && world.model.who(proxy).active && world.model.who(user).active;
  // What is assigned already is no news, and is not asked whether it could begin now.
  const expected = !add || fits || assigned.has(key) ? 204 : 400;
  if (!add) assigned.delete(key);
  else if (fits) assigned.add(key);
  return { said, expected };
});

/** Whoever is shut out loses their session and token; let in again, they get new ones. */
async function letIn(world: World, at: number, change: Partial<Modelled>): Promise<void> {
  const wasIn = world.model.isIn(at);
  Object.assign(world.model.who(at), change);
  if (!world.model.isIn(at)) world.model.who(at).actsFor = undefined;
  else if (!wasIn) await world.revive(at);
}

const activates = tuple(someone, mostly).map(([at, active]): Deed => async (world) => {
  const { status: said } = await world.admin.put('user', { id: idOf(world, at), isActive: active });
  await letIn(world, at, { active });
  return { said, expected: 200 };
});

const licenses = tuple(someone, mostly).map(([at, licensed]): Deed => async (world) => {
  const body = { userId: idOf(world, at), licenseTypeId: licensed ? 1 : 4 };
  const { status: said } = await world.admin.put('userLicense', body);
  await letIn(world, at, { licensed });
  return { said, expected: 200 };
});

const grants = tuple(someone, subarray([...CAPABILITIES])).map(([at, held]): Deed => async (world) => {
  const path = `user/group/${world.persons[at]?.groupId}`;
  const { status: said } = await world.admin.put(path, { capabilities: held });
  world.model.who(at).held = new Set(held);
  return { said, expected: 200 };
});

const begins = tuple(someone, someone).map(([proxy, user]): Deed => async (world) => {
  const { model } = world;
  const body = { userId: idOf(world, user), reason: 'Because' };
  const { status: said } = await world.console(proxy).put('/api/session/acting', body);
  if (!model.isIn(proxy)) return { said, expected: 401 };
  if (model.lapses(proxy)) return { said, expected: 403 };
  if (model.who(proxy).actsFor !== undefined) return { said, expected: 409 };
  if (!model.mayActFor(proxy, user)) return { said, expected: 403 };
  model.who(proxy).actsFor = user;
  return { said, expected: 200 };
});

const ends = someone.map((at): Deed => async (world) => {
  const { model } = world;
  const { status: said } = await world.console(at).del('/api/session/acting');
  model.lapses(at);
  const { actsFor } = model.who(at);
  model.who(at).actsFor = undefined;
  return { said, expected: !model.isIn(at) ? 401 : actsFor === undefined ? 409 : 200 };
});

const looks = someone.map((at): Deed => async (world) => {
  const { model } = world;
  const { status, body } = await world.console(at).get<Session>('/api/session');
  if (!model.isIn(at)) return { said: status, expected: 401 };
  model.lapses(at);
  const { actsFor } = model.who(at);
  return {
    said: { status, principal: body.acting?.principal.id, capabilities: new Set(body.capabilities) },
    expected: {
      status: 200,
      principal: actsFor === undefined ? undefined : idOf(world, actsFor),
      capabilities: model.can(at, actsFor),
    },
  };
});

const asks = someone.map((at): Deed => async (world) => {
  const { model } = world;
  const { status: said } = await world.console(at).get('user');
  if (!model.isIn(at)) return { said, expected: 401 };
  if (model.lapses(at)) return { said, expected: 403 };
  return { said, expected: shows(model.can(at, model.who(at).actsFor)) ? 200 : 403 };
});

const asksAs = tuple(someone, someone).map(([proxy, user]): Deed => async (world) => {
  const { model } = world;
  const headers = { 'as-user': String(idOf(world, user)) };
  const { status: said } = await world.program(proxy).get('user', { headers });
  if (!model.isIn(proxy)) return { said, expected: 401 };
  if (!model.who(proxy).held.has('Access Web Service')) return { said, expected: 403 };
  if (!model.mayActFor(proxy, user)) return { said, expected: 401 };
  const can = model.can(proxy, user);
  return { said, expected: can.has('Access Web Service') && shows(can) ? 200 : 403 };
});

const deeds = array(
  oneof(
    { weight: 4, arbitrary: assigns },
    { weight: 2, arbitrary: activates },
    { weight: 2, arbitrary: licenses },
    { weight: 1, arbitrary: grants },
    { weight: 4, arbitrary: begins },
    { weight: 1, arbitrary: ends },
    { weight: 2, arbitrary: looks },
    { weight: 4, arbitrary: asks },
    { weight: 4, arbitrary: asksAs },
  ),
  { minLength: 60, maxLength: 100 },
);

onEachApp((house) => {
  async function newWorld(): Promise<World> {
    const { db, app } = house();
    const siteId = await makeSite(db);
    const admin = as(app, await makePerson(db, siteId));
    const persons = await Promise.all(
      Array.from({ length: PEOPLE }, () => makePerson(db, siteId, { capabilities: CAPABILITIES })),
    );
    const at = (index: number): Person => {
      const person = persons[index];
      if (!person) throw new Error('Nobody');
      return person;
    };
    return {
      model: new Model(),
      admin,
      persons,
      program: (index) => as(app, at(index)),
      console: (index) => as(app, at(index), 'console'),
      async revive(index) {
        const person = at(index);
        person.token = await makeToken(db, person);
        person.cookie = await openSession(db, siteId, person.userId);
      },
    };
  }

  test('the service agrees with the model on every answer', { timeout: 120_000 }, async () => {
    const property = asyncProperty(deeds, async (list) => {
      const world = await newWorld();
      for (const deed of list) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other is what the model is about
        const { said, expected } = await deed(world);
        expect(said).toEqual(expected);
      }
    });
    await assert(property, { numRuns: RUNS[house().database.kind], endOnFailure: true });
  });
});
