import { readFile } from 'node:fs/promises';
import type {
  ReportCheck,
  ReportPlaceholder,
  ReportTemplate,
  ReportTemplateDetail,
} from '../../../contract/generated/types.gen.ts';
import { cutText } from '../../../contract/rules/cut-text.ts';
import { ENTRY_ID } from '../../../contract/rules/query/condition.ts';
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import { ApiError, badRequest, conflict, notFound } from '../../kernel/api-error.ts';
import { change, diffProperties, getActor } from '../../kernel/audit/change.ts';
import { requireCapabilities } from '../../kernel/auth/authorize.ts';
import type { Db } from '../../kernel/db/database.ts';
import { lockStorage, requireStorage } from '../../kernel/files/storage-quota.store.ts';
import type { UploadedFile } from '../../kernel/http/bodies/uploads.ts';
import { noContent, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion } from '../../kernel/http/parameters.ts';
import { loadSchema, type EntryType, type SiteSchema } from '../schema/index.ts';
import { NO_OFFICE } from './documents/office.ts';
import { inspectFile } from './documents/renderer.ts';
import type { InspectedDocument } from './documents/text.ts';
import { REPORT_LIMITS } from './generate.ts';
import {
  checkDocument,
  getValueKind,
  listFormats,
  listReferencedTypes,
  REPORT_NAMES,
  type CheckResult,
  type UsedField,
} from './language/check.ts';
import { formatValue, VALUE_FORMATS } from './language/formats.ts';
import { withReportData } from './report-data.ts';
import { MEDIA_TYPES } from './report-job.ts';
import { toStatus } from './run-status.ts';
import * as store from './templates.store.ts';
import type { StoredTemplate, TemplateFile } from './templates.store.ts';

const MAX_TEMPLATES = 500;
const KEPT_VERSIONS = 20;
const MAX_PLACEHOLDERS = 2_000;

type Operations =
  | 'listReportTemplates'
  | 'createReportTemplate'
  | 'getReportTemplate'
  | 'replaceReportTemplate'
  | 'deleteReportTemplate'
  | 'downloadReportTemplate'
  | 'checkReportTemplate'
  | 'checkReportFile'
  | 'listReportPlaceholders'
  | 'getReportOptions';

export const templateHandlers: Handlers<Operations> = {
  async listReportTemplates({ db, caller, query }) {
    const schema = await loadSchema(db, caller.siteId);
    const templates = (await store.listTemplates(db, caller.siteId))
      .filter(({ typeId }) => query.entryTypeId === undefined || typeId === query.entryTypeId)
      .map((template) => toTemplate(template, schema))
      .filter(
        ({ fields }) =>
          query.fieldId === undefined || fields.some(({ fieldId }) => fieldId === query.fieldId),
      );
    return ok([
      ...templates.filter(({ status }) => status === 'Broken'),
      ...templates.filter(({ status }) => status === 'Ready'),
    ]);
  },

  async createReportTemplate(call) {
    const { db, caller, body, services } = call;
    const { siteId, userId } = caller;
    const properties = {
      name: body.name.trim(),
      description: body.description?.trim() || null,
      typeId: body.entryTypeId,
    };
    await requireValid(db, siteId, properties);
    const file = await readTemplateFile(call);
    const templateId = await change(db, getActor(call), async (tx, record) => {
      const usedBefore = await lockStorage(tx, siteId);
      if ((await store.countTemplates(tx, siteId)) >= MAX_TEMPLATES)
        throw conflict(`The site has ${MAX_TEMPLATES} templates. Delete one that is no longer needed.`);
      const id = await store.insertTemplate(tx, siteId, properties, userId);
      if (id === undefined) throw nameTaken(properties.name);
      await store.insertVersion(
        tx,
        { siteId, templateId: id, version: 1, typeId: properties.typeId },
        file,
        userId,
      );
      await requireStorage(tx, siteId, { usedBefore, defaultQuota: services.storageQuota, path: 'file' });
      record({
        action: 'report-template.create',
        subject: ['report-template', id, properties.name],
        changes: diffProperties(undefined, toAudited({ ...properties, version: 1 }, file)),
      });
      return id;
    });
    return toDetailResponse(db, siteId, templateId);
  },

  async getReportTemplate({ db, caller, params }) {
    return toDetailResponse(db, caller.siteId, params.templateId);
  },

  async replaceReportTemplate(call) {
    const { db, caller, body, params, services } = call;
    const { siteId, userId } = caller;
    const { templateId } = params;
    const known = await requireTemplate(db, siteId, templateId);
    const merge = (stored: store.TemplateProperties): store.TemplateProperties => ({
      name: body.name?.trim() ?? stored.name,
      description: body.description === undefined ? stored.description : body.description?.trim() || null,
      typeId: body.entryTypeId ?? stored.typeId,
    });
    await requireValid(db, siteId, merge(known), known.typeId);
    const file = call.files.length === 0 ? undefined : await readTemplateFile(call);
    await change(db, getActor(call), async (tx, record) => {
      const usedBefore = await lockStorage(tx, siteId);
      const before = await store.findTemplate(tx, siteId, templateId, { lock: true });
      if (!before) throw notFound(`Template ${templateId}`);
      requireVersion(call.ifMatch, before.edition, `the template ${before.name}`);
      // Others may have changed the template while the file was inspected.
      const properties = merge(before);
      const version = file ? before.version + 1 : before.version;
      if (file)
        await store.insertVersion(
          tx,
          { siteId, templateId, version, typeId: properties.typeId },
          file,
          userId,
        );
      if (!(await store.updateTemplate(tx, siteId, templateId, { ...properties, version }, userId)))
        throw nameTaken(properties.name);
      await store.removeOldContents(tx, siteId, templateId, KEPT_VERSIONS);
      await requireStorage(tx, siteId, { usedBefore, defaultQuota: services.storageQuota, path: 'file' });
      record({
        action: 'report-template.update',
        subject: ['report-template', templateId, properties.name],
        changes: diffProperties(
          toAudited(before, before),
          toAudited({ ...properties, version }, file ?? before),
        ),
      });
    });
    return toDetailResponse(db, siteId, templateId);
  },

  async deleteReportTemplate(call) {
    const { db, caller, params } = call;
    const { siteId } = caller;
    await change(db, getActor(call), async (tx, record) => {
      await lockStorage(tx, siteId);
      const before = await store.findTemplate(tx, siteId, params.templateId, { lock: true });
      if (!before) throw notFound(`Template ${params.templateId}`);
      requireVersion(call.ifMatch, before.edition, `the template ${before.name}`);
      await store.deleteTemplate(tx, siteId, params.templateId);
      record({
        action: 'report-template.delete',
        subject: ['report-template', params.templateId, before.name],
        changes: diffProperties(toAudited(before, before), undefined),
      });
    });
    return noContent;
  },

  async downloadReportTemplate({ db, caller, params, query }) {
    const template = await requireTemplate(db, caller.siteId, params.templateId);
    const version = query.version ?? template.version;
    const file = await store.findVersionFile(db, caller.siteId, template.id, version);
    if (!file?.bytes) throw notFound(`The file of version ${version} of template ${template.id}`);
    return {
      status: 200,
      download: { type: MEDIA_TYPES[file.format], name: file.fileName, chunks: toChunks(file.bytes) },
    };
  },

  async checkReportTemplate({ db, caller, params, signal }) {
    const { siteId } = caller;
    const template = await requireTemplate(db, siteId, params.templateId);
    const file = await store.findVersionFile(db, siteId, template.id, template.version);
    if (!file?.bytes) throw notFound(`The file of template ${template.id}`);
    const document = await inspectFile(file.bytes, { signal });
    const schema = await loadSchema(db, siteId);
    return ok(toCheck(document, checkDocument(document, schema, schema.typesById.get(template.typeId))));
  },

  async checkReportFile(call) {
    const { db, caller, body } = call;
    const schema = await loadSchema(db, caller.siteId);
    const type = schema.typesById.get(body.entryTypeId);
    if (!type) throw notFound(`Entry type ${body.entryTypeId}`);
    const document = await inspectUpload(call, requireFile(call.files));
    return ok(toCheck(document.inspected, checkDocument(document.inspected, schema, type)));
  },

  async listReportPlaceholders(call) {
    const { db, caller, query } = call;
    const schema = await loadSchema(db, caller.siteId);
    const type = schema.typesById.get(query.entryTypeId);
    if (!type) throw notFound(`Entry type ${query.entryTypeId}`);
    const fields = listUsableFields(schema, type);
    if (query.entryId === undefined) return ok(toPlaceholders(fields, undefined));
    requireCapabilities(caller, ['Read Data']);
    return ok(toPlaceholders(fields, await readTexts(call, type, fields, query.entryId)));
  },

  async getReportOptions({ services }) {
    const isAvailable = services.officeProgram !== undefined;
    return ok({
      pdf: { isAvailable, reason: isAvailable ? null : NO_OFFICE },
      valueFormats: VALUE_FORMATS.map(({ name, description, example }) => ({ name, description, example })),
      limits: { ...REPORT_LIMITS },
    });
  },
};

const nameTaken = (name: string): ApiError =>
  conflict(`A template named ${name} already exists`, [
    { path: 'name', message: 'is the name of another template' },
  ]);

/** @throws ApiError 404 */
export async function requireTemplate(db: Db, siteId: number, templateId: number): Promise<StoredTemplate> {
  const template = await store.findTemplate(db, siteId, templateId);
  if (!template) throw notFound(`Template ${templateId}`);
  return template;
}

/** @throws ApiError 400 with all errors */
async function requireValid(
  db: Db,
  siteId: number,
  { name, typeId }: store.TemplateProperties,
  knownTypeId?: number,
): Promise<void> {
  const schema = await loadSchema(db, siteId);
  const isKnown = typeId === knownTypeId || schema.typesById.has(typeId);
  const errors = [
    ...(name === '' ? [{ path: 'name', message: 'must not be empty' }] : []),
    ...(isKnown
      ? []
      : [{ path: 'entryTypeId', message: `entry type ${typeId} does not exist on this site` }]),
  ];
  if (errors.length > 0) throw badRequest(errors);
}

/** @throws ApiError 400 unless the form has exactly one file */
function requireFile(files: readonly UploadedFile[]): UploadedFile {
  const [file] = files;
  if (!file || files.length > 1)
    throw badRequest([{ path: 'file', message: 'send exactly one file, as multipart/form-data' }]);
  return file;
}

async function inspectUpload(
  { signal }: Pick<Call, 'signal'>,
  file: UploadedFile,
): Promise<{ bytes: Buffer; inspected: InspectedDocument }> {
  if (file.size > REPORT_LIMITS.templateBytes)
    throw new ApiError(413, `file: at most ${REPORT_LIMITS.templateBytes} bytes; it has ${file.size}`);
  const bytes = await readFile(file.path);
  return { bytes, inspected: await inspectFile(bytes, { signal }) };
}

/** The file of a form, checked. @throws ApiError 400 with the reason for which it is refused, 413 */
async function readTemplateFile(call: Pick<Call, 'files' | 'signal'>): Promise<TemplateFile> {
  const file = requireFile(call.files);
  const { bytes, inspected } = await inspectUpload(call, file);
  const isMarked = new Map<number, number>();
  const texts = inspected.texts.flatMap(({ text: _text, ...text }, at) => {
    const hasFault = inspected.faults.some((fault) => fault.text === at);
    if (text.marks.length === 0 && !hasFault) return [];
    isMarked.set(at, isMarked.size);
    return [text];
  });
  return {
    format: inspected.format,
    fileName: toFileName(file.name, inspected.format),
    bytes,
    sha256: file.hash,
    content: {
      texts,
      faults: inspected.faults.map(({ text, message }) => ({ text: isMarked.get(text) ?? 0, message })),
    },
  };
}

/** Name of an uploaded file with the extension of its content. */
function toFileName(name: string, format: 'docx' | 'xlsx'): string {
  const base = cutText((name.split(/[\\/]/).at(-1) ?? '').replace(/\.\w{1,5}$/, ''), 200);
  return `${base === '' ? 'Template' : base}.${format}`;
}

const toAudited = (
  { name, description, typeId, version }: store.TemplateProperties & { version: number },
  { fileName, sha256 }: Pick<TemplateFile, 'fileName' | 'sha256'>,
) => ({ name, description, entryTypeId: typeId, version, file: fileName, sha256: sha256.toString('hex') });

const toTemplateField = ({ path, field, via }: UsedField) => ({
  fieldId: field.id,
  entryTypeId: field.typeId,
  path,
  name: via ? `${via.name}, ${field.name}` : field.name,
});

function toTemplate(template: StoredTemplate, schema: SiteSchema, check?: CheckResult): ReportTemplate {
  const { findings, fields, listsRows } =
    check ?? checkDocument(template.content, schema, schema.typesById.get(template.typeId));
  // A field of a referenced entry breaks the template when the reference goes, too.
  const references = fields.flatMap(({ via }) =>
    via ? [{ path: via.apiName, field: via, via: undefined }] : [],
  );
  const used = new Map([...fields, ...references].map((each) => [`${each.path} ${each.field.id}`, each]));
  return {
    id: template.id,
    name: template.name,
    description: template.description,
    format: template.format,
    entryTypeId: template.typeId,
    status: findings.length > 0 ? 'Broken' : 'Ready',
    errorCount: findings.length,
    listsRows,
    version: template.version,
    fileName: template.fileName,
    size: template.byteCount,
    sha256: template.sha256.toString('hex'),
    fields: [...used.values()].map(toTemplateField),
    createdDate: template.createdDate.toISOString(),
    modifiedDate: template.modifiedDate.toISOString(),
    modifiedBy: template.modifiedBy,
    modifiedByName: template.modifiedByName,
    lastRun:
      template.lastRunId === null || template.lastRunDate === null || template.lastRunState === null
        ? null
        : {
            runId: template.lastRunId,
            createdDate: template.lastRunDate.toISOString(),
            status: toStatus(template.lastRunState),
          },
  };
}

async function toDetailResponse(
  db: Db,
  siteId: number,
  templateId: number,
): Promise<{ status: 200; body: ReportTemplateDetail; headers?: Readonly<Record<string, string>> }> {
  const template = await requireTemplate(db, siteId, templateId);
  const schema = await loadSchema(db, siteId);
  const check = checkDocument(template.content, schema, schema.typesById.get(template.typeId));
  const versions = await store.listVersions(db, siteId, templateId);
  return ok(
    {
      ...toTemplate(template, schema, check),
      findings: check.findings,
      versions: versions.map(({ sha256, byteCount, createdDate, ...version }) => ({
        ...version,
        size: byteCount,
        sha256: sha256.toString('hex'),
        createdDate: createdDate.toISOString(),
      })),
    },
    { etag: formatEtag(template.edition) },
  );
}

function toCheck(document: InspectedDocument, check: CheckResult): ReportCheck {
  const parts: ReportCheck['parts'] = [];
  document.texts.forEach(({ part, partKind, place, text, marks }, at) => {
    if (parts.at(-1)?.name !== part) parts.push({ name: part, kind: partKind, texts: [] });
    parts.at(-1)?.texts.push({
      place,
      text,
      marks: marks.map(({ offset, length }, markAt) => ({
        offset,
        length,
        finding: check.marks[at]?.[markAt] ?? null,
      })),
    });
  });
  return {
    status: check.findings.length > 0 ? 'Broken' : 'Ready',
    format: document.format,
    listsRows: check.listsRows,
    fields: check.fields.map(toTemplateField),
    findings: check.findings,
    parts,
    isTruncated: document.isTruncated,
  };
}

/** Fields that a template for entries of a type can name. */
function listUsableFields(schema: SiteSchema, type: EntryType): UsedField[] {
  const own = type.fields.map((field): UsedField => ({ path: field.apiName, field, via: undefined }));
  const steps = type.fields
    .filter(({ fieldType }) => fieldType === FIELD.reference)
    .flatMap((via) =>
      listReferencedTypes(schema, via).flatMap(({ fields }) =>
        fields.map((field): UsedField => ({ path: `${via.apiName}.${field.apiName}`, field, via })),
      ),
    );
  return [...own, ...steps].slice(0, MAX_PLACEHOLDERS);
}

function toPlaceholders(
  fields: readonly UsedField[],
  texts: ReadonlyMap<string, string> | undefined,
): ReportPlaceholder[] {
  const value = (path: string) => texts && { value: texts.get(path.toLowerCase()) ?? null };
  const unique = new Map(fields.map((each) => [each.path, each]));
  return [
    ...[...unique.values()].map(({ path, field, via }) => {
      const kind = getValueKind(field);
      return {
        placeholder: `{${path}}`,
        path,
        fieldId: field.id,
        name: via ? `${via.name}, ${field.name}` : field.name,
        fieldType: field.fieldType,
        formats: listFormats({ ...kind, isList: kind.isList || via?.isMultiSelect === true }),
        ...value(path),
      };
    }),
    {
      placeholder: `{${ENTRY_ID}}`,
      path: ENTRY_ID,
      fieldId: null,
      name: 'Id of the entry',
      fieldType: null,
      formats: listFormats({ kind: 'number', isList: false }),
      ...value(ENTRY_ID),
    },
    ...Object.entries(REPORT_NAMES).map(([path, { kind, name }]) => ({
      placeholder: `{${path}}`,
      path,
      fieldId: null,
      name,
      fieldType: null,
      formats: listFormats({ kind, isList: false }),
    })),
  ];
}

/** Texts that the placeholders of an entry show, by path in lower case. @throws ApiError 404 */
async function readTexts(
  { db, caller, services }: Pick<Call, 'db' | 'caller' | 'services'>,
  type: EntryType,
  fields: readonly UsedField[],
  entryId: number,
): Promise<ReadonlyMap<string, string>> {
  return withReportData(
    { db, caller, blobs: services.blobs },
    { type, fields, selection: { entryIds: [entryId] } },
    async (data) => {
      for await (const [entry] of data.pages())
        if (entry)
          return new Map(
            Object.entries(entry.record).map(([path, value]) => [
              path,
              formatValue(value, { timeZone: 'UTC' }),
            ]),
          );
      throw notFound(`Entry ${entryId}`);
    },
  );
}

/** The bytes of a small file as a response. */
export async function* toChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
