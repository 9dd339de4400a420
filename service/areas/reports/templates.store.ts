import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { DocumentFault, MarkedText } from './language/check.ts';

/** The texts of a template with their placeholders. */
export interface TemplateTexts {
  texts: readonly MarkedText[];
  faults: readonly DocumentFault[];
}

/** A template with its current version. */
export interface StoredTemplate {
  id: number;
  name: string;
  description: string | null;
  typeId: number;
  edition: number;
  version: number;
  format: 'docx' | 'xlsx';
  fileName: string;
  byteCount: number;
  sha256: Buffer;
  content: TemplateTexts;
  createdDate: Date;
  modifiedDate: Date;
  modifiedBy: number | null;
  modifiedByName: string | null;
  /** The last report of the template. */
  lastRunId: number | null;
  lastRunDate: Date | null;
  lastRunState: string | null;
}

const memberName = (userId: string) => sql`(select a.first_name || ' ' || a.last_name
    from membership m join account a using (user_id) where m.site_id = t.site_id and m.user_id = ${sql.ref(userId)})`;

const COLUMNS = sql`t.template_id as id, t.name, t.description, t.type_id as "typeId", t.edition, t.version, v.format,
  v.file_name as "fileName", v.byte_count as "byteCount", v.sha256, v.texts as content, t.created_at as "createdDate",
  t.modified_at as "modifiedDate", t.modified_by as "modifiedBy", ${memberName('t.modified_by')} as "modifiedByName",
  j.job_id as "lastRunId", j.created_at as "lastRunDate", j.state as "lastRunState"`;

const FROM = sql`report_template t join report_template_version v using (site_id, template_id, version)
  left join lateral (select r.job_id, r.created_at, r.state from job r
    where r.site_id = t.site_id and r.kind = 'report' and (r.parameters ->> 'templateId')::int = t.template_id
    order by r.job_id desc limit 1) j on true`;

/** All templates of a site, ordered by name. */
export async function listTemplates(db: Db, siteId: number): Promise<StoredTemplate[]> {
  const { rows } = await sql<StoredTemplate>`
    select ${COLUMNS} from ${FROM} where t.site_id = ${siteId} order by lower(t.name), t.template_id`.execute(
    db,
  );
  return rows;
}

/** A template of the site. `lock` locks it until the transaction ends. */
export async function findTemplate(
  db: Db,
  siteId: number,
  templateId: number,
  { lock = false } = {},
): Promise<StoredTemplate | undefined> {
  const { rows } = await sql<StoredTemplate>`
    select ${COLUMNS} from ${FROM} where t.site_id = ${siteId} and t.template_id = ${templateId}
    ${lock ? sql`for update of t` : sql``}`.execute(db);
  return rows[0];
}

export async function countTemplates(db: Db, siteId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from report_template where site_id = ${siteId}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** What a user edits of a template. */
export interface TemplateProperties {
  name: string;
  description: string | null;
  typeId: number;
}

/** The file of a version. */
export interface TemplateFile {
  format: 'docx' | 'xlsx';
  fileName: string;
  bytes: Buffer;
  sha256: Buffer;
  content: TemplateTexts;
}

/** Inserts a template without its version and returns its id; undefined if another has the name. */
export async function insertTemplate(
  tx: Tx,
  siteId: number,
  { name, description, typeId }: TemplateProperties,
  userId: number | null,
): Promise<number | undefined> {
  const row = await tx
    .insertInto('report_template')
    .values({ site_id: siteId, name, description, type_id: typeId, version: 1, modified_by: userId })
    .onConflict((on) => on.doNothing())
    .returning('template_id')
    .executeTakeFirst();
  return row?.template_id;
}

export async function insertVersion(
  tx: Tx,
  key: { siteId: number; templateId: number; version: number; typeId: number },
  file: TemplateFile,
  userId: number | null,
): Promise<void> {
  await tx
    .insertInto('report_template_version')
    .values({
      site_id: key.siteId,
      template_id: key.templateId,
      version: key.version,
      type_id: key.typeId,
      format: file.format,
      file_name: file.fileName,
      size: file.bytes.length,
      byte_count: file.bytes.length,
      sha256: file.sha256,
      content: file.bytes,
      texts: JSON.stringify(file.content),
      created_by: userId,
    })
    .execute();
}

/** Changes a locked template. Returns false if another has the name. */
export async function updateTemplate(
  tx: Tx,
  siteId: number,
  templateId: number,
  { name, description, typeId, version }: TemplateProperties & { version: number },
  userId: number | null,
): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select exists (select from report_template where site_id = ${siteId} and lower(name) = lower(${name})
      and template_id <> ${templateId}) as taken`.execute(tx);
  if (rows[0]?.taken) return false;
  await sql`update report_template set name = ${name}, description = ${description}, type_id = ${typeId}, version = ${version},
      edition = edition + 1, modified_at = now(), modified_by = ${userId}
    where site_id = ${siteId} and template_id = ${templateId}`.execute(tx);
  await sql`update report_template_version set type_id = ${typeId}
    where site_id = ${siteId} and template_id = ${templateId} and type_id <> ${typeId}`.execute(tx);
  return true;
}

/** Removes the files of all but the newest versions. */
export async function removeOldContents(
  tx: Tx,
  siteId: number,
  templateId: number,
  keptVersions: number,
): Promise<void> {
  await sql`update report_template_version set content = null, size = 0
    where site_id = ${siteId} and template_id = ${templateId} and content is not null
      and version <= (select max(version) from report_template_version
        where site_id = ${siteId} and template_id = ${templateId}) - ${keptVersions}`.execute(tx);
}

export async function deleteTemplate(tx: Tx, siteId: number, templateId: number): Promise<void> {
  await sql`delete from report_template where site_id = ${siteId} and template_id = ${templateId}`.execute(
    tx,
  );
}

export interface StoredVersion {
  version: number;
  fileName: string;
  byteCount: number;
  sha256: Buffer;
  createdDate: Date;
  createdBy: number | null;
  createdByName: string | null;
  hasFile: boolean;
}

/** Versions of a template, newest first. */
export async function listVersions(db: Db, siteId: number, templateId: number): Promise<StoredVersion[]> {
  const { rows } = await sql<StoredVersion>`
    select t.version, t.file_name as "fileName", t.byte_count as "byteCount", t.sha256, t.created_at as "createdDate",
      t.created_by as "createdBy", ${memberName('t.created_by')} as "createdByName", t.content is not null as "hasFile"
    from report_template_version t where t.site_id = ${siteId} and t.template_id = ${templateId}
    order by t.version desc limit 1000`.execute(db);
  return rows;
}

/** The file of a version; `bytes` is null once it was removed. */
export async function findVersionFile(
  db: Db,
  siteId: number,
  templateId: number,
  version: number,
): Promise<(Omit<TemplateFile, 'bytes'> & { bytes: Buffer | null }) | undefined> {
  const { rows } = await sql<Omit<TemplateFile, 'bytes'> & { bytes: Buffer | null }>`
    select format, file_name as "fileName", sha256, content as bytes, texts as content from report_template_version
    where site_id = ${siteId} and template_id = ${templateId} and version = ${version}`.execute(db);
  return rows[0];
}
