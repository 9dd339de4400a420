import { calculationsOf, type EntryType, type StoredValue, type Vals } from '../../areas/schema/index.ts';
import { amount, CITIES, companyName, dayOf, money, sentence } from '../load/draw.ts';
import type { Entry } from '../load/rows.ts';
import { type SampleTypes, STAGES } from './entry-types.ts';
import { drawName } from './names.ts';
import type { Random } from './random.ts';

/** A value that an entry once had. */
export interface SampleChange {
  typeId: number;
  entryId: number;
  fieldId: number;
  at: Date;
  old: StoredValue | null;
  new: StoredValue;
  userId: number;
}

export interface SampleEntries {
  company: Entry[];
  contact: Entry[];
  deal: Entry[];
  changes: SampleChange[];
}

interface Drawing {
  random: Random;
  siteId: number;
  types: SampleTypes;
  /** Who makes and looks after entries. */
  users: readonly number[];
  asOf: number;
  /** Ids for the entries, as many as `countsOf` says. */
  ids: { company: readonly number[]; contact: readonly number[]; deal: readonly number[] };
}

const DAY = 24 * 3600_000;
const YEARS = 6 * 365 * DAY;
const HELLOS = [
  'Chief executive',
  'Chief financial officer',
  'Founder',
  'Head of strategy',
  'Board member',
  'Adviser',
];
const LOST = STAGES.indexOf('Lost');
const WON = STAGES.indexOf('Won');

/** How many entries of each type a firm of so many people has. */
export const countsOf = (users: number) => ({
  company: Math.min(users, 5000),
  contact: Math.min(users * 2, 10_000),
  deal: Math.min(Math.ceil(users / 2), 2500),
});

/** Values by the apiName of their field; those without data are left out, calculated ones worked out. */
function valsOf(type: EntryType, drawn: Readonly<Record<string, StoredValue | undefined>>): Vals {
  const vals: Record<string, StoredValue | undefined> = {};
  for (const field of type.fields) {
    const value = drawn[field.apiName];
    if (value !== undefined) vals[field.id] = value;
  }
  for (const { field, formula } of calculationsOf(type)) {
    const value = formula.run(vals);
    if (value !== undefined) vals[field.id] = value;
  }
  return vals;
}

const choiceIds = (type: EntryType, apiName: string): number[] => [
  ...(type.byName.get(apiName.toLowerCase())?.choices.keys() ?? []),
];

function some<T>(random: Random, items: readonly T[], probability: number): T[] | undefined {
  const chosen = items.filter(() => random.chance(probability));
  return chosen.length > 0 ? chosen : undefined;
}

/** A few of very many, none twice; often nobody. */
function fewOf(random: Random, items: readonly number[], probability: number): number[] | undefined {
  const few = new Set(Array.from({ length: 3 }, () => random.pick(items)));
  return some(random, [...few], probability);
}

/** Made one after the other over six years. */
const madeAt = ({ asOf }: Drawing, index: number, count: number): Date =>
  new Date(asOf - Math.round(YEARS * (1 - index / count)) - DAY);

function drawCompanies(drawing: Drawing): Entry[] {
  const { random, siteId, types, users, asOf, ids } = drawing;
  const [sectors, tags] = [choiceIds(types.company, 'Sector'), choiceIds(types.company, 'Tags')];
  return ids.company.map((entryId, index) => {
    const name = companyName(random);
    const vals = valsOf(types.company, {
      Name: name,
      Sector: random.pick(sectors),
      City: random.pick(CITIES),
      Website: `https://www.${name.slice(0, name.indexOf(' ')).toLowerCase()}.example`,
      Employees: amount(random, 20),
      Revenue: random.chance(0.85) ? money(random, 800) : undefined,
      Founded: dayOf(asOf - random.between(2 * 365, 90 * 365) * DAY),
      IsListed: random.chance(0.15),
      Owner: random.pick(users),
      Tags: some(random, tags, 0.2),
      LastContact: random.chance(0.8)
        ? new Date(asOf - random.between(0, 500 * 24 * 60) * 60_000).toISOString()
        : undefined,
      Summary: sentence(random),
    });
    return {
      siteId,
      entryId,
      vals,
      createdAt: madeAt(drawing, index, ids.company.length),
      createdBy: random.pick(users),
    };
  });
}

function drawContacts(drawing: Drawing): Entry[] {
  const { random, siteId, types, users, asOf, ids } = drawing;
  return ids.contact.map((entryId, index) => {
    const { first, last, latin } = drawName(random);
    const vals = valsOf(types.contact, {
      Name: `${first} ${last}`,
      Company: random.pick(ids.company),
      Role: random.pick(HELLOS),
      Email: `${latin.toLowerCase().replaceAll(/[^a-z]+/g, '.')}@contact.example`,
      Phone: random.chance(0.7) ? `+44 20 5550 ${random.between(1000, 9999)}` : undefined,
      LastMeeting: random.chance(0.6)
        ? new Date(asOf - random.between(0, 900 * 24 * 2) * 30 * 60_000).toISOString()
        : undefined,
      Newsletter: random.chance(0.4),
      KnownBy: fewOf(random, users, 0.5),
    });
    return {
      siteId,
      entryId,
      vals,
      createdAt: madeAt(drawing, index, ids.contact.length),
      createdBy: random.pick(users),
    };
  });
}

/** Days between the steps of a deal. */
const STEP_DAYS = [5, 45] as const;

/** The stage in which a deal is, and those it went through: most are won or lost sooner or later. */
function path(random: Random): string[] {
  const furthest = random.between(0, STAGES.length - 1);
  const open = STAGES.slice(0, WON);
  if (furthest === WON) return STAGES.slice(0, LOST);
  if (furthest === LOST) return [...open.slice(0, random.between(1, open.length)), 'Lost'];
  return open.slice(0, furthest + 1);
}

function drawDeals(drawing: Drawing): { entries: Entry[]; changes: SampleChange[] } {
  const { random, siteId, types, users, asOf, ids } = drawing;
  const type = types.deal;
  const stage = type.byName.get('stage');
  const [stages, reasons] = [choiceIds(type, 'Stage'), choiceIds(type, 'LostReason')];
  const changes: SampleChange[] = [];
  const entries = ids.deal.map((entryId, index): Entry => {
    const went = path(random).map((name) => stages[STAGES.findIndex((each) => each === name)] ?? 0);
    const current = went.at(-1) ?? 0;
    const createdAt = madeAt(drawing, index, ids.deal.length);
    const team = some(random, users.slice(0, 40), 0.06);
    let at = createdAt.getTime();
    for (const [step, to] of went.slice(1).entries()) {
      at = Math.min(
        at + random.between(...STEP_DAYS) * DAY + random.between(0, DAY),
        asOf - 60_000 * (went.length - step),
      );
      changes.push({
        typeId: type.id,
        entryId,
        fieldId: stage?.id ?? 0,
        at: new Date(at),
        old: went[step] ?? null,
        new: to,
        userId: random.pick(team ?? users),
      });
    }
    const isOver = current === stages[WON] || current === stages[LOST];
    const vals = valsOf(type, {
      Name: `Project ${random.pick(CITIES)} ${index + 1}`,
      Number: index + 1,
      Company: random.pick(ids.company),
      Stage: current,
      LostReason: current === stages[LOST] ? random.pick(reasons) : undefined,
      Amount: money(random, 1500),
      Probability: isOver ? undefined : random.between(1, 19) * 5,
      Multiple: random.chance(0.9) ? random.between(30, 160) / 10 : undefined,
      ExpectedClose: isOver ? undefined : dayOf(asOf + random.between(5, 300) * DAY),
      Contacts: fewOf(random, ids.contact, 0.6),
      Team: team,
    });
    return { siteId, entryId, vals, createdAt, createdBy: random.pick(users) };
  });
  return { entries, changes };
}

/** Draws the entries of a site, and the stages its deals went through. */
export function drawEntries(drawing: Drawing): SampleEntries {
  const { entries: deal, changes } = drawDeals(drawing);
  const inOrder = changes.toSorted((one, other) => one.at.getTime() - other.at.getTime());
  return { company: drawCompanies(drawing), contact: drawContacts(drawing), deal, changes: inOrder };
}
