import { sql } from 'kysely';
import type { Db } from './database.ts';

/** The value of the installation with this name; without one it becomes `proposed`. All processes get the same. */
export async function loadOrSetValue(db: Db, name: string, proposed: string): Promise<string> {
  const read = () =>
    sql<{ value: string }>`select value from installation_value where name = ${name}`.execute(db);
  const { rows } = await read();
  if (rows[0]) return rows[0].value;
  await sql`insert into installation_value (name, value) values (${name}, ${proposed})
    on conflict (name) do nothing`.execute(db);
  const [inserted] = (await read()).rows;
  if (!inserted) throw new Error(`The value ${name} was not stored`);
  return inserted.value;
}

/** Replaces the value of the installation with this name. */
export async function setValue(db: Db, name: string, value: string): Promise<void> {
  await sql`insert into installation_value (name, value) values (${name}, ${value})
    on conflict (name) do update set value = excluded.value`.execute(db);
}
