import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { ClaimedJob, JobOwner, JobKey } from '../../kernel/jobs/jobs.store.ts';

/** A received part; `bytes` is the length of the request body. */
export interface StoredPart {
  part: number;
  firstItem: number;
  count: number;
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
  receivedDate: Date;
}

/** All parts of a job in the order of their numbers; at most 1,000 (contract). */
export async function listParts(db: Db, { siteId, jobId }: JobKey): Promise<StoredPart[]> {
  const { rows } = await sql<StoredPart>`
    select part_no as part, first_item as "firstItem", item_count as count, byte_count as bytes, encode(hash, 'hex') as sha256,
      received_at as "receivedDate"
    from job_part where site_id = ${siteId} and job_id = ${jobId} order by part_no`.execute(db);
  return rows;
}

/** Stores a part whose items are stored in the same transaction, and raises the number of items of the job. */
export async function insertPart(
  tx: Tx,
  { siteId, jobId }: JobKey,
  part: Omit<StoredPart, 'receivedDate'>,
): Promise<StoredPart> {
  const { rows } = await sql<{ receivedDate: Date }>`
    insert into job_part (site_id, job_id, part_no, first_item, item_count, byte_count, hash)
    values (${siteId}, ${jobId}, ${part.part}, ${part.firstItem}, ${part.count}, ${part.bytes}, decode(${part.sha256}, 'hex'))
    returning received_at as "receivedDate"`.execute(tx);
  await sql`update job set total = total + ${part.count}::int where site_id = ${siteId} and job_id = ${jobId}`.execute(
    tx,
  );
  const [row] = rows;
  if (!row) throw new Error('The stored part does not exist');
  return { ...part, ...row };
}

/** Item of a job that has the same value of a property as an earlier one. */
export interface RepeatedItem {
  itemNo: number;
  value: string;
}

/** The first items whose value of `property` an earlier item has, at most `limit`. */
export async function listRepeatedItems(
  tx: Tx,
  { siteId, jobId }: JobKey,
  { property, limit }: { property: string; limit: number },
): Promise<RepeatedItem[]> {
  const { rows } = await sql<RepeatedItem>`
    select item_no as "itemNo", value from (
      select item_no, input ->> ${property}::text as value,
        min(item_no) over (partition by input ->> ${property}::text) as first_no
      from job_item where site_id = ${siteId} and job_id = ${jobId}) i
    where item_no > first_no and value is not null order by item_no limit ${limit}`.execute(tx);
  return rows;
}

/** Lets a job whose items are complete run, with the rights of the request that submits it. */
export async function setSubmitted(
  tx: Tx,
  { siteId, jobId }: JobKey,
  { owner, ip, requestId }: Pick<ClaimedJob, 'ip' | 'requestId'> & { owner: JobOwner },
): Promise<void> {
  await sql`update job set state = 'waiting', principal_id = ${owner.principalId}, report_id = ${owner.reportId},
      scopes = ${owner.scopes}::text[], is_proven = ${owner.isProven}, is_federated = ${owner.isFederated},
      ip = ${ip}, request_id = ${requestId}
    where site_id = ${siteId} and job_id = ${jobId}`.execute(tx);
}

/** SQL condition: nothing arrived for the job `j` within the hours that an upload may pause. */
const isAbandoned = (hours: number) => sql<boolean>`j.state = 'uploading'
  and j.created_at < now() - make_interval(hours => ${hours})
  and not exists (select from job_part p where p.site_id = j.site_id and p.job_id = j.job_id
    and p.received_at > now() - make_interval(hours => ${hours}))`;

/** Uploads that are not continued. */
export async function listAbandonedJobs(db: Db, hours: number): Promise<JobKey[]> {
  const { rows } = await sql<JobKey>`
    select site_id as "siteId", job_id as "jobId" from job j where ${isAbandoned(hours)} order by 1, 2`.execute(
    db,
  );
  return rows;
}

/** Locks an abandoned job until the transaction ends. Returns false if it was continued or deleted in the meantime. */
export async function lockAbandonedJob(tx: Tx, { siteId, jobId }: JobKey, hours: number): Promise<boolean> {
  await sql`select from job where site_id = ${siteId} and job_id = ${jobId} for update`.execute(tx);
  const { rows } = await sql`
    select from job j where site_id = ${siteId} and job_id = ${jobId} and ${isAbandoned(hours)}`.execute(tx);
  return rows.length > 0;
}

/** Deletes the last part of a job with its items. Returns false if there is none. */
export async function deleteLastPart(tx: Tx, { siteId, jobId }: JobKey): Promise<boolean> {
  const { rows } = await sql<{ firstItem: number; count: number }>`
    delete from job_part where site_id = ${siteId} and job_id = ${jobId} and part_no = (
      select max(part_no) from job_part where site_id = ${siteId} and job_id = ${jobId})
    returning first_item as "firstItem", item_count as count`.execute(tx);
  const [part] = rows;
  if (!part) return false;
  await sql`delete from job_item where site_id = ${siteId} and job_id = ${jobId}
    and item_no >= ${part.firstItem} and item_no < ${part.firstItem + part.count}`.execute(tx);
  await sql`update job set total = total - ${part.count}::int where site_id = ${siteId} and job_id = ${jobId}`.execute(
    tx,
  );
  return true;
}

/** Forgets the parts of an upload that was cancelled, so that no request counts as submitted; retention deletes the items. */
export async function deleteParts(tx: Tx, { siteId, jobId }: JobKey): Promise<void> {
  await sql`delete from job_part where site_id = ${siteId} and job_id = ${jobId}`.execute(tx);
}

export async function deleteJob(tx: Tx, { siteId, jobId }: JobKey): Promise<void> {
  await sql`delete from job where site_id = ${siteId} and job_id = ${jobId}`.execute(tx);
}
