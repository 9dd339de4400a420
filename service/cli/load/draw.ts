import type { EntryType, SchemaField, StoredValue, Vals } from '../../areas/schema/index.ts';
import type { Random } from '../sample/random.ts';

/** What values are drawn from. */
export interface Stock {
  users: readonly number[];
  /** Entries of the type, in the order in which they are made: each refers to earlier ones. */
  entryIds: readonly number[];
  /** The moment at which the data end. */
  asOf: number;
}

const DAY = 86_400_000;
/** The first entry was made so long before the end. */
const YEARS_MS = 6 * 365 * DAY;

const SYLLABLES =
  'al an ar bel bor cal cor dan del dor el en far fen gal gor hal hen il in jor kal ken lan lor mar mer nal nor ol or pel ral ros sal sen tal tor ul val ven wil yor zan'.split(
    ' ',
  );
const SECOND =
  'Works Systems Partners Foods Energy Labs Capital Motors Textiles Media Logistics Health Optics Mining Print Steel Paper Software Marine Air Rail Water Seeds Glass Robotics'.split(
    ' ',
  );
const FORMS = ['Inc.', 'AG', 'Ltd', 'GmbH', 'SA', 'plc', '& Co.', ''];
/** Where companies are. */
export const CITIES =
  'Zürich Genève Basel Wien Graz Berlin Hamburg München Köln Paris Lyon Nantes London Leeds Dublin Oslo Bergen Malmö Århus Helsinki Tallinn Riga Praha Brno Kraków Gdańsk Milano Torino Lisboa Porto Madrid Sevilla Boston Chicago Austin Denver Toronto Montréal Tokyo Osaka Singapore Sydney'.split(
    ' ',
  );
const WORDS =
  'account advice agreement annual approach asset board branch brand budget buyer capital carbon chain change client cloud coast company contract cost credit crew customer data deal debt delivery demand design device district domain draft drive early earnings engine equity estate export factory family farm field final firm fleet focus forest founder freight fuel fund future garden global goods grain grid growth harbour health heavy hotel import income index industry insight interest invoice island labour later leader lease ledger legal level light line local lower machine maker margin market member merger metal mobile model money motor network north notes office open option order output owner panel paper partner patent payment people phone pilot plan plant platform pledge portfolio power premium price process product profit project property public quality quarter range rapid rate ready record region rental report research reserve retail review risk river route rural sales sample scale school season second sector secure seller senior series service share shipping shop signal silver simple single site small social solar source south spring staff stage station steady stock storage store street strong supply system table target team tender terms thermal timber tool trade training transit travel treasury trust turbine union unit update upper urban value vendor venture village vision volume warehouse water wave west wind winter yard yield'.split(
    ' ',
  );
const CURRENCIES = ['EUR', 'USD', 'CHF', 'GBP'];

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const coined = (random: Random): string =>
  random.pick(SYLLABLES) + random.pick(SYLLABLES) + random.pick(SYLLABLES);

/** Few are large: amounts of three decades, evenly over their logarithms. */
export const amount = (random: Random, least: number): number =>
  Math.round(least * 10 ** (3 * random.next()));
export const money = (random: Random, least: number): StoredValue => ({
  value: amount(random, least) * 1000,
  currencyCode: random.pick(CURRENCIES),
});
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Somebody's firm: a coined word, what it does, and how it is constituted. */
export function companyName(random: Random): string {
  const form = random.pick(FORMS);
  return `${capital(coined(random))} ${random.pick(SECOND)}${form && ` ${form}`}`;
}

/** Words, one of them made up: a part of it finds few, a part of the others very many. */
export function sentence(random: Random): string {
  const words = Array.from({ length: random.between(4, 8) }, () => random.pick(WORDS));
  words[random.between(1, words.length - 1)] = coined(random);
  return `${capital(words.join(' '))}.`;
}

interface Drawn {
  random: Random;
  field: SchemaField;
  stock: Stock;
  /** Which entry it is, and how it is called. */
  index: number;
  name: string;
}

const aChoice = ({ random, field }: Drawn): number => random.pick([...field.choices.keys()]);

function someChoices({ random, field }: Drawn): readonly number[] | undefined {
  const chosen = [...field.choices.keys()].filter(() => random.chance(0.15));
  return chosen.length > 0 ? chosen : undefined;
}

type Drawer = (drawn: Drawn) => StoredValue | undefined;

/** By apiName, how a value is drawn; undefined: this entry has none. */
const DRAWERS: Readonly<Record<string, Drawer>> = {
  Name: ({ name }) => name,
  Stage: aChoice,
  Region: aChoice,
  Source: aChoice,
  Tags: someChoices,
  Parent: ({ random, index, stock }) =>
    index > 0 && random.chance(0.3) ? stock.entryIds[random.between(0, index - 1)] : undefined,
  Owner: ({ random, stock }) => (stock.users.length > 0 ? random.pick(stock.users) : undefined),
  Employees: ({ random }) => amount(random, 5),
  Score: ({ random }) => random.between(0, 1000) / 10,
  Revenue: ({ random }) => money(random, 500),
  Valuation: ({ random }) => (random.chance(0.8) ? money(random, 2000) : undefined),
  LastContact: ({ random, stock }) =>
    random.chance(0.9) ? new Date(stock.asOf - random.between(0, 2 * 365 * DAY)).toISOString() : undefined,
  Founded: ({ random, stock }) => dayOf(stock.asOf - random.between(365, 100 * 365) * DAY),
  NextStep: ({ random, stock }) =>
    random.chance(0.4) ? dayOf(stock.asOf + random.between(0, 180) * DAY) : undefined,
  IsClient: ({ random }) => random.chance(0.2),
  IsListed: ({ random }) => random.chance(0.1),
  City: ({ random }) => random.pick(CITIES),
  Email: ({ random, name }) =>
    `${random.pick(WORDS)}@${name.slice(0, name.indexOf(' ')).toLowerCase()}.example`,
  Phone: ({ random }) => `+41 44 555 ${random.between(10, 99)} ${random.between(10, 99)}`,
  Summary: ({ random }) => sentence(random),
};

/** The values of the next entry. */
export function drawVals(random: Random, type: EntryType, stock: Stock, index: number): Vals {
  const name = companyName(random);
  const vals: Record<string, StoredValue> = {};
  for (const field of type.fields) {
    const value = DRAWERS[field.apiName]?.({ random, field, stock, index, name });
    if (value !== undefined) vals[field.id] = value;
  }
  return vals;
}

/** When an entry was made: one after the other, up to the end. */
export const madeAt = ({ asOf, entryIds }: Stock, index: number): Date =>
  new Date(asOf - Math.round(YEARS_MS * (1 - index / entryIds.length)));
