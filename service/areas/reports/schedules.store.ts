import { sql } from 'kysely';
import type { Scope } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { ReportParameters } from './report-parameters.ts';
import type { ScheduleTimes } from './schedule-times.ts';

/** What the reports of a schedule select, and how they are generated; selected entries are stored beside it. */
type ScheduleRequest = Pick<
  ReportParameters,
  'format' | 'document' | 'timeZone' | 'query' | 'orderBy' | 'filterText'
>;

/** A person of the site; those who left it have no name. */
interface Person {
  id: number;
  name: string;
}

export interface StoredSchedule extends ScheduleTimes {
  siteId: number;
  id: number;
  templateId: number;
  templateName: string | null;
  ownerId: number;
  ownerName: string | null;
  scopes: Scope[] | null;
  isFederated: boolean;
  ip: string;
  request: ScheduleRequest;
  selectedIds: number[] | null;
  recipientIds: number[];
  recipients: Person[];
  state: 'active' | 'paused' | 'stopped';
  stopReason: string | null;
  nextDate: Date;
  /** Current time zone of the site. */
  siteTimeZone: string;
  createdDate: Date;
  lastRunId: number | null;
  lastRunDate: Date | null;
  lastRunState: string | null;
}

const SELECT = sql`select s.site_id as "siteId", s.schedule_id as id, s.template_id as "templateId", t.name as "templateName",
  s.owner_id as "ownerId", a.first_name || ' ' || a.last_name as "ownerName", s.scopes, s.is_federated as "isFederated", s.ip,
  s.request, s.selected_ids as "selectedIds", s.recipients as "recipientIds",
  coalesce((select json_agg(json_build_object('id', rm.user_id, 'name', ra.first_name || ' ' || ra.last_name)
      order by lower(ra.first_name || ' ' || ra.last_name), rm.user_id)
    from membership rm join account ra on ra.user_id = rm.user_id
    where rm.site_id = s.site_id and rm.user_id = any(s.recipients)), '[]') as recipients,
  s.frequency, s.minute, s.day, s.state, s.stop_reason as "stopReason", s.next_at as "nextDate",
  site.time_zone as "siteTimeZone", s.created_at as "createdDate",
  j.job_id as "lastRunId", j.created_at as "lastRunDate", j.state as "lastRunState"
  from report_schedule s
  join site on site.site_id = s.site_id
  left join report_template t on t.site_id = s.site_id and t.template_id = s.template_id
  left join membership m on m.site_id = s.site_id and m.user_id = s.owner_id
  left join account a on a.user_id = m.user_id
  left join job j on j.site_id = s.site_id and j.job_id = s.last_job_id`;

/** Schedules of a site, or those of an owner: the next first, then those that do not run. */
export async function listSchedules(
  db: Db,
  siteId: number,
  ownerId: number | undefined,
): Promise<StoredSchedule[]> {
  const { rows } = await sql<StoredSchedule>`${SELECT} where s.site_id = ${siteId}
    ${ownerId === undefined ? sql`` : sql`and s.owner_id = ${ownerId}`}
    order by s.state <> 'active', s.next_at, s.schedule_id`.execute(db);
  return rows;
}

/** A schedule of the site. `lock` locks it until the transaction ends. */
export async function findSchedule(
  db: Db,
  siteId: number,
  id: number,
  { lock = false } = {},
): Promise<StoredSchedule | undefined> {
  const { rows } = await sql<StoredSchedule>`
    ${SELECT} where s.site_id = ${siteId} and s.schedule_id = ${id} ${lock ? sql`for update of s` : sql``}`.execute(
    db,
  );
  return rows[0];
}

export async function countSchedules(db: Db, siteId: number, ownerId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from report_schedule where site_id = ${siteId} and owner_id = ${ownerId}`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

/** Active schedules whose moment has come, or whose site has another time zone than when it was computed. */
export async function listDueSchedules(db: Db): Promise<{ siteId: number; id: number }[]> {
  const { rows } = await sql<{ siteId: number; id: number }>`
    select s.site_id as "siteId", s.schedule_id as id from report_schedule s join site on site.site_id = s.site_id
    where s.state = 'active' and (s.next_at <= now() or s.time_zone <> site.time_zone) order by s.next_at`.execute(
    db,
  );
  return rows;
}

interface NextTimeZone {
  /** Zone in which `nextDate` was computed. */
  timeZone: string;
}

export async function insertSchedule(
  tx: Tx,
  {
    siteId,
    ...schedule
  }: Pick<
    StoredSchedule,
    | 'siteId'
    | 'templateId'
    | 'ownerId'
    | 'scopes'
    | 'isFederated'
    | 'ip'
    | 'request'
    | 'selectedIds'
    | 'recipientIds'
    | 'nextDate'
    | keyof ScheduleTimes
  > &
    NextTimeZone,
): Promise<number> {
  const { schedule_id: id } = await tx
    .insertInto('report_schedule')
    .values({
      site_id: siteId,
      template_id: schedule.templateId,
      owner_id: schedule.ownerId,
      scopes: schedule.scopes,
      is_federated: schedule.isFederated,
      ip: schedule.ip,
      request: JSON.stringify(schedule.request),
      selected_ids: schedule.selectedIds,
      recipients: schedule.recipientIds,
      frequency: schedule.frequency,
      minute: schedule.minute,
      day: schedule.day,
      next_at: schedule.nextDate,
      time_zone: schedule.timeZone,
    })
    .returning('schedule_id')
    .executeTakeFirstOrThrow();
  return id;
}

/** What changes of a schedule. */
type ScheduleChange = Partial<
  Pick<
    StoredSchedule,
    'recipientIds' | 'ip' | 'scopes' | 'isFederated' | 'state' | 'stopReason' | 'nextDate' | 'lastRunId'
  > &
    NextTimeZone &
    ScheduleTimes
>;

export async function updateSchedule(
  tx: Tx,
  { siteId, id }: Pick<StoredSchedule, 'siteId' | 'id'>,
  change: ScheduleChange,
): Promise<void> {
  await tx
    .updateTable('report_schedule')
    .set({
      ...(change.recipientIds && { recipients: change.recipientIds }),
      ...(change.ip !== undefined && { ip: change.ip }),
      ...(change.scopes !== undefined && { scopes: change.scopes }),
      ...(change.isFederated !== undefined && { is_federated: change.isFederated }),
      ...(change.state && { state: change.state }),
      ...(change.stopReason !== undefined && { stop_reason: change.stopReason }),
      ...(change.frequency && { frequency: change.frequency }),
      ...(change.minute !== undefined && { minute: change.minute }),
      ...(change.day !== undefined && { day: change.day }),
      ...(change.nextDate && { next_at: change.nextDate }),
      ...(change.timeZone !== undefined && { time_zone: change.timeZone }),
      ...(change.lastRunId !== undefined && { last_job_id: change.lastRunId }),
    })
    .where('site_id', '=', siteId)
    .where('schedule_id', '=', id)
    .execute();
}

export async function deleteSchedule(tx: Tx, siteId: number, id: number): Promise<void> {
  await tx
    .deleteFrom('report_schedule')
    .where('site_id', '=', siteId)
    .where('schedule_id', '=', id)
    .execute();
}

/** Time of the database. */
export async function loadTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The database returned no time');
  return row.now;
}
