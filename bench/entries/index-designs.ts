/** Designs of the indexes of entries that `indexes.ts` compares: their tables, how they are written, and the reads that matter. */

/** A field of the loaded type that has a slot in the schema. */
export interface SlotField {
  name: string;
  id: number;
  slot: string;
}

export interface Design {
  name: string;
  /** Statements on the database while `entry` is empty. */
  schema(fields: readonly SlotField[]): string[];
  /** Fields whose values are in slots, by default all that have one. */
  usedNames?: readonly string[];
  /** Values that filters and orders use are in tables beside `entry` instead of slots. */
  hasCompanions?: boolean;
}

/** Fields that filters and orders of the reads below use, but for `UNUSED_FIELD`. */
const USED_FIELDS = ['Stage', 'Owner', 'Employees', 'LastContact', 'City'];
/** The field that nobody has sorted by before. */
const UNUSED_FIELD = 'Score';

const dropSlotIndexes = (fields: readonly SlotField[]): string[] =>
  fields.map(({ slot }) => `drop index entry_${slot}`);
const listSlots = (fields: readonly SlotField[]): string => fields.map(({ slot }) => slot).join(', ');
const isText = ({ slot }: SlotField): boolean => slot.startsWith('t');

/** Takes the slots from the fields, so that writes leave them empty. */
const takeSlots = (condition: string): string =>
  `update field set slot = null, slot_state = null where slot is not null and slot <> 'name' and ${condition}`;

const createCompanions = (): string[] =>
  (
    [
      ['entry_number', 'float8'],
      ['entry_key', 'text collate "C"'],
    ] as const
  ).flatMap(([table, type]) => [
    `create table ${table} (site_id int not null, field_id int not null, v ${type} not null, entry_id int not null,
      primary key (site_id, field_id, v, entry_id)) with (autovacuum_enabled = off)`,
    `create statistics ${table}_v (mcv, dependencies) on field_id, v from ${table}`,
  ]);

const withCompanions = (fields: readonly SlotField[]): string[] => [
  ...dropSlotIndexes(fields),
  takeSlots('true'),
  ...createCompanions(),
];

export const DESIGNS: readonly Design[] = [
  { name: 'today', schema: () => [] },
  {
    name: 'log compressed',
    schema: () => [
      `do $$ begin execute format('alter database %I set wal_compression = lz4', current_database()); end $$`,
    ],
  },
  { name: 'fillfactor 60', schema: () => ['alter table entry set (fillfactor = 60)'] },
  {
    name: 'five slots used',
    usedNames: USED_FIELDS,
    schema: () => [takeSlots(`api_name not in (${USED_FIELDS.map((name) => `'${name}'`).join(', ')})`)],
  },
  {
    name: 'one GIN index',
    schema: (fields) => [
      ...dropSlotIndexes(fields),
      `create index entry_slots on entry using gin (type_id, ${listSlots(fields)})`,
    ],
  },
  {
    name: 'BRIN for numbers and dates',
    schema(fields) {
      const ordered = fields.filter(({ slot }) => /^n([5-9]|1\d)$/u.test(slot));
      return [
        ...dropSlotIndexes(ordered),
        `create index entry_slots on entry using brin (type_id, ${listSlots(ordered)}) with (pages_per_range = 32)`,
      ];
    },
  },
  { name: 'companion of all', hasCompanions: true, schema: withCompanions },
  {
    name: 'companion of five',
    hasCompanions: true,
    usedNames: USED_FIELDS,
    schema: withCompanions,
  },
];

/** The fields whose values the design has in slots or companion tables. */
const listUsed = ({ usedNames }: Design, fields: readonly SlotField[]): readonly SlotField[] =>
  fields.filter(({ name }) => usedNames?.includes(name) ?? true);

/** Statements that insert copies of `rows`, which have values in all slots, with ids that are larger by `shift`. */
export function buildInserts(
  design: Design,
  fields: readonly SlotField[],
  rows: string,
  shift: number,
): string[] {
  const used = listUsed(design, fields);
  const columns = `type_id, version, name, name_key, near_key, vals${design.hasCompanions ? '' : `, ${listSlots(used)}`}`;
  const companions = (['entry_number', 'entry_key'] as const).flatMap((table) => {
    const values = used.filter((field) => isText(field) === (table === 'entry_key'));
    return `insert into ${table} (site_id, field_id, v, entry_id)
      select site_id, x.field_id, x.v, entry_id + ${shift} from ${rows} as source
      cross join lateral (values ${values.map(({ id, slot }) => `(${id}, ${slot})`).join(', ')}) as x(field_id, v)
      where x.v is not null order by x.field_id, x.v`;
  });
  return [
    `insert into entry (site_id, entry_id, ${columns}) select site_id, entry_id + ${shift}, ${columns}
      from ${rows} as source order by entry_id`,
    ...(design.hasCompanions ? companions : []),
  ];
}

/** A part of the hand-written update that moves the number of a field in its companion table. */
export const buildCompanionUpdate =
  (design: Design, fields: readonly SlotField[]) =>
  (fieldId: number, column: string): string =>
    design.hasCompanions && listUsed(design, fields).some(({ id }) => id === fieldId)
      ? `moved as (update entry_number c set v = x.${column} from x join entry e on e.site_id = 1 and e.entry_id = x.entry_id
          where c.site_id = 1 and c.field_id = ${fieldId} and c.v = (e.vals ->> '${fieldId}')::float8 and c.entry_id = x.entry_id),`
      : '';

/** The rows of ids, in their order. */
const readRows = (ids: string) =>
  `with ids as materialized (select entry_id, row_number() over () as at from (${ids}) as ids)
    select string_agg(e.vals::text, ',' order by at) from ids join entry e on e.site_id = 1 and e.entry_id = ids.entry_id`;

/** A condition on a field; `?` stands for its value. */
type Condition = [name: string, test: string];

/** The reads that matter, of `skip` rows where they skip any, by name. */
export function listReads(
  design: Design,
  fields: readonly SlotField[],
  { typeId, stageId, skip }: { typeId: number; stageId: number; skip: number },
): [name: string, text: string][] {
  const used = listUsed(design, fields);
  const getField = (name: string): SlotField => {
    const field = fields.find((each) => each.name === name);
    if (!field) throw new Error(`No field ${name} has a slot`);
    return field;
  };
  const hasSlot = (name: string) => used.some((field) => field.name === name);
  const ofType = `e.site_id = 1 and e.type_id = ${typeId}`;
  /** `from` and `where` of the matching entries; the values of the first field are `first`. */
  const match = (conditions: readonly Condition[]): { source: string; first: string; id: string } => {
    const [[first] = ['']] = conditions;
    if (design.hasCompanions && hasSlot(first)) {
      const aliases = conditions.map(([name, test], at) => {
        const field = getField(name);
        const table = isText(field) ? 'entry_key' : 'entry_number';
        const join = at === 0 ? `${table} c0` : `join ${table} c${at} on c${at}.entry_id = c0.entry_id`;
        const where = `c${at}.site_id = 1 and c${at}.field_id = ${field.id} and ${test.replaceAll('?', `c${at}.v`)}`;
        return { join, where };
      });
      const source = `from ${aliases.map(({ join }) => join).join(' ')} where ${aliases.map(({ where }) => where).join(' and ')}`;
      return { source, first: 'c0.v', id: 'c0.entry_id' };
    }
    const columns = conditions.map(([name]) =>
      hasSlot(name) ? `e.${getField(name).slot}` : `(e.vals ->> '${getField(name).id}')::float8`,
    );
    const tests = conditions.map(([, test], at) => test.replaceAll('?', columns[at] ?? ''));
    return {
      source: `from entry e where ${[ofType, ...tests].join(' and ')}`,
      first: columns[0] ?? '',
      id: 'e.entry_id',
    };
  };
  /** Rows from slots are read where they are found; ids from companion tables are looked up. */
  const readMatching = (conditions: readonly Condition[]) => {
    const { source, id } = match(conditions);
    return source.startsWith('from entry e')
      ? `select string_agg(vals::text, ',') from (select e.vals ${source} order by ${id} limit 1000) as rows`
      : readRows(`select ${id} ${source} order by ${id} limit 1000`);
  };
  const count = (conditions: readonly Condition[]) => `select count(*) as n ${match(conditions).source}`;
  const readSorted = (name: string) => {
    const { source, first, id } = match([[name, '? is not null']]);
    return readRows(`select ${id} ${source} order by ${first}, ${id} limit 1000 offset ${skip}`);
  };
  const stage: Condition = ['Stage', `? = ${stageId}`];
  const range: Condition = ['Employees', '? between 1000 and 2000'];
  return [
    ['1,000 rows of a choice', readMatching([stage])],
    ['count of a choice', count([stage])],
    ['1,000 rows of a range', readMatching([range])],
    ['count of a range', count([range])],
    ['count of a choice in a range', count([stage, range])],
    ['1,000 rows by the start of a text', readMatching([['City', `? like 'be%'`]])],
    [`sorted by number, skip ${skip}`, readSorted('Employees')],
    [
      `sorted by name, skip ${skip}`,
      readRows(
        `select e.entry_id from entry e where ${ofType} order by e.name_key, e.entry_id limit 1000 offset ${skip}`,
      ),
    ],
    [`sorted by a field for the first time, skip ${skip}`, readSorted(UNUSED_FIELD)],
  ];
}
