/** Checks the placeholders of a document against the schema of a site. */
import type { ReportFinding } from '../../../../contract/generated/types.gen.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { FIELD, holdsMoney } from '../../../../contract/rules/schema/fields.ts';
import { findField, type EntryType, type SchemaField, type SiteSchema } from '../../schema/index.ts';
import { findFormat, VALUE_FORMATS } from './formats.ts';
import { findNearest } from './nearest-name.ts';
import { parsePlaceholder, type Mark, type Placeholder } from './placeholder.ts';
import type { ValueKind } from './values.ts';

/** Kinds of the parts of a document. */
export type PartKind = 'document' | 'header' | 'footer' | 'notes' | 'sheet';

/** A text of a document, a paragraph or cell, with its placeholders. */
export interface MarkedText {
  /** `Document`, `Header 1`, or the name of a worksheet. */
  part: string;
  partKind: PartKind;
  /** `paragraph 12`, or the name of a cell. */
  place: string;
  /** What contains the paragraph: pairs of placeholders must begin and end in the same one. */
  parent: number;
  /** The row of a table or worksheet that contains it. */
  row: number | null;
  marks: readonly Mark[];
}

/** A fault of a document that its reader found, such as a formula that cannot be repeated. */
export interface DocumentFault {
  /** Index of the text. */
  text: number;
  message: string;
}

/** A field that a placeholder names, of the type of the template or of a referenced type. */
export interface UsedField {
  /** As in the placeholder, with apiNames: `Company.Name`. */
  path: string;
  field: SchemaField;
  /** The reference field, for fields of referenced entries. */
  via: SchemaField | undefined;
  /** Whether a picture shows its images. */
  isPicture?: boolean;
}

export interface CheckResult {
  findings: ReportFinding[];
  /** Index of the finding of each mark of each text; null for marks without fault. */
  marks: (number | null)[][];
  fields: UsedField[];
  listsRows: boolean;
  /** Whether fields stand in headers, footers or notes, which all entries of a document share. */
  hasSharedFields: boolean;
}

/** Names that begin with `$`: what is known about the report itself. */
export const REPORT_NAMES: Readonly<Record<string, { kind: ValueKind; name: string }>> = {
  $date: { kind: 'moment', name: 'Moment of the data' },
  $generated: { kind: 'moment', name: 'Moment of the generation' },
  $user: { kind: 'text', name: 'E-mail address of the user' },
  $template: { kind: 'text', name: 'Name of the template' },
  $version: { kind: 'number', name: 'Version of the template' },
  $entryType: { kind: 'text', name: 'Entry type' },
  $count: { kind: 'number', name: 'Number of entries' },
  $number: { kind: 'number', name: 'Number of this entry' },
  $hash: { kind: 'text', name: 'SHA-256 of the values' },
};
const REPORT_NAMES_BY_KEY = new Map(
  Object.entries(REPORT_NAMES).map(([name, entry]) => [name.toLowerCase(), { ...entry, path: name }]),
);

/** Kind of the values of a field, and whether it has several. */
export function getValueKind(field: SchemaField): { kind: ValueKind; isList: boolean } {
  return { kind: getItemKind(field), isList: field.isMultiSelect };
}

function getItemKind(field: SchemaField): ValueKind {
  if (holdsMoney(field)) return 'money';
  if (field.fieldType === FIELD.number || field.fieldType === FIELD.counter) return 'number';
  if (field.fieldType === FIELD.boolean) return 'boolean';
  if (field.fieldType !== FIELD.date) return 'text';
  return field.isDateOnly ? 'day' : 'moment';
}

/** Names of the formats for values of a kind, as they stand after the bar. */
export const listFormats = ({ kind, isList }: { kind: ValueKind; isList: boolean }): string[] =>
  VALUE_FORMATS.filter(({ kinds }) => fitsKind(kinds, kind, isList)).map(({ example }) => example);

const fitsKind = (kinds: readonly ValueKind[] | undefined, kind: ValueKind, isList: boolean): boolean =>
  kinds === undefined || kinds.includes(kind) || (isList && kinds.includes('list'));

/** Types to which a reference field can point. */
export const listReferencedTypes = (schema: SiteSchema, field: SchemaField): readonly EntryType[] =>
  field.entryLists.length === 0
    ? schema.types
    : field.entryLists.flatMap((id) => schema.typesById.get(id) ?? []);

type Resolved =
  | { kind: ValueKind; isList: boolean; used: UsedField[] }
  | { message: string; nearest: string | undefined };

/** Finds what a path names; `type` is undefined when the type was deleted. */
function resolvePath(schema: SiteSchema, type: EntryType, path: string): Resolved {
  if (path.startsWith('$')) {
    const known = REPORT_NAMES_BY_KEY.get(path.toLowerCase());
    if (known) return { kind: known.kind, isList: false, used: [] };
    const nearest = findNearest(
      path,
      Object.keys(REPORT_NAMES).map((name) => ({ name, value: name })),
    );
    return { message: `There is no ${path}.`, nearest };
  }
  const [name = '', step] = path.split('.');
  if (step === undefined && name.toLowerCase() === ENTRY_ID.toLowerCase())
    return { kind: 'number', isList: false, used: [] };
  const field = findField(type, name);
  if (!field) {
    const nearest = findNearest(name, toCandidates([type]));
    const found = nearest === undefined ? undefined : step === undefined ? nearest : `${nearest}.${step}`;
    return { message: `${type.singularName} has no field "${name}".`, nearest: found };
  }
  if (step === undefined)
    return { ...getValueKind(field), used: [{ path: field.apiName, field, via: undefined }] };
  if (field.fieldType !== FIELD.reference)
    return {
      message: `"${field.apiName}" refers to no entry, so that it has no field "${step}".`,
      nearest: field.apiName,
    };
  const types = listReferencedTypes(schema, field);
  const steps = types.flatMap((each) => findField(each, step) ?? []);
  const [first] = steps;
  if (!first) {
    const nearest = findNearest(step, toCandidates(types));
    return {
      message: `No entry to which "${field.apiName}" can refer has a field "${step}".`,
      nearest: nearest === undefined ? undefined : `${field.apiName}.${nearest}`,
    };
  }
  const kind = getValueKind(first);
  return {
    kind: kind.kind,
    isList: kind.isList || field.isMultiSelect,
    used: steps.map((each) => ({ path: `${field.apiName}.${each.apiName}`, field: each, via: field })),
  };
}

const toCandidates = (types: readonly EntryType[]): { name: string; value: string }[] =>
  types.flatMap(({ fields }) =>
    fields.flatMap(({ apiName, name }) => [
      { name: apiName, value: apiName },
      { name, value: apiName },
    ]),
  );

/** An opened pair of placeholders. */
interface OpenPair {
  kind: 'rows' | 'if';
  text: number;
  mark: number;
}

type Fault = Pick<ReportFinding, 'code' | 'message'> & { suggestion?: string | undefined };

/** Replaces the path in a placeholder, so that a suggestion keeps its formats. */
const replacePath = (text: string, path: string, replacement: string): string =>
  text.replace(path, () => replacement);

const WRONG_PAIR =
  'A pair of placeholders begins and ends in the same paragraph, in the same row of a table, or in paragraphs next to each other.';

/**
 * Checks the placeholders of a document.
 * @param type type of the entries; undefined when it was deleted
 * @param faults what the reader of the document found besides
 */
export function checkDocument(
  { texts, faults }: { texts: readonly MarkedText[]; faults: readonly DocumentFault[] },
  schema: SiteSchema,
  type: EntryType | undefined,
): CheckResult {
  const found: { text: number; mark: number | undefined; fault: Fault }[] = [];
  const report = (text: number, mark: number | undefined, fault: Fault) => found.push({ text, mark, fault });
  const used = new Map<string, UsedField>();
  const parsed = texts.map(({ marks }) => marks.map(({ text }) => parsePlaceholder(text.slice(1, -1))));
  const listsRows = parsed.some((list) => list.some(({ placeholder }) => placeholder?.kind === 'rows'));
  let hasSharedFields = false;
  let open: OpenPair[] = [];
  const closePart = () => {
    for (const pair of open)
      report(pair.text, pair.mark, {
        code: 'missing-end',
        message: `{/${pair.kind}} is missing.`,
      });
    open = [];
  };

  for (const { text, message } of faults) report(text, undefined, { code: 'wrong-place', message });
  texts.forEach((text, at) => {
    if (at > 0 && texts[at - 1]?.part !== text.part) closePart();
    const isShared = text.partKind !== 'document' && text.partKind !== 'sheet';
    text.marks.forEach((mark, markAt) => {
      if (mark.fault) {
        const message =
          mark.fault === 'missing-end' ? 'The closing } is missing.' : 'This } has no opening {.';
        return report(at, markAt, { code: mark.fault, message });
      }
      const { placeholder, fault } = parsed[at]?.[markAt] ?? {};
      if (fault) return report(at, markAt, describeParseFault(mark, fault));
      if (!placeholder) return undefined;
      const misplaced = checkPlace(placeholder, text, { at, markAt });
      if (misplaced) return report(at, markAt, misplaced);
      if (placeholder.kind !== 'value' && placeholder.kind !== 'if') return undefined;
      if (!type) return report(at, markAt, { code: 'unknown-field', message: 'The entry type was deleted.' });
      const resolved = resolvePath(schema, type, placeholder.path);
      if ('message' in resolved)
        return report(at, markAt, {
          code: 'unknown-field',
          message: resolved.message,
          suggestion:
            resolved.nearest === undefined
              ? undefined
              : replacePath(mark.text, placeholder.path, resolved.nearest),
        });
      const isPicture = mark.isPicture === true;
      for (const field of resolved.used) {
        const key = `${field.via?.id ?? ''}.${field.field.id}`;
        used.set(key, { ...field, isPicture: isPicture || used.get(key)?.isPicture === true });
      }
      if (resolved.used.length > 0 && isShared) hasSharedFields = true;
      const wrong =
        (isPicture ? findWrongPicture(placeholder, resolved.used) : undefined) ??
        (placeholder.kind === 'value' ? findWrongFormat(placeholder, resolved) : undefined);
      if (wrong) return report(at, markAt, wrong);
      const isOutsideRows =
        listsRows && isFieldPath(placeholder.path) && !open.some(({ kind }) => kind === 'rows');
      if (isOutsideRows)
        return report(at, markAt, {
          code: 'wrong-place',
          message: 'Fields of entries stand between {#rows} and {/rows} in this template.',
        });
      return undefined;
    });
  });
  closePart();

  /** Follows pairs of placeholders; returns what is wrong with the place of this one. */
  function checkPlace(
    placeholder: Placeholder,
    text: MarkedText,
    { at, markAt }: { at: number; markAt: number },
  ): Fault | undefined {
    if (placeholder.kind === 'rows' || placeholder.kind === 'if') {
      const isNested = placeholder.kind === 'rows' && open.length > 0;
      const isOutside =
        placeholder.kind === 'rows' && text.partKind !== 'document' && text.partKind !== 'sheet';
      open.push({ kind: placeholder.kind, text: at, mark: markAt });
      if (isNested) return { code: 'wrong-place', message: '{#rows} cannot stand within another pair.' };
      if (isOutside)
        return { code: 'wrong-place', message: '{#rows} cannot stand in headers, footers and notes.' };
      return undefined;
    }
    if (placeholder.kind === 'value') return undefined;
    const kind = placeholder.kind === 'endRows' ? 'rows' : 'if';
    const last = open.at(-1);
    if (last?.kind !== kind) {
      const message =
        last && open.some((pair) => pair.kind === kind)
          ? `{/${last.kind}} is missing before this placeholder.`
          : `This {/${kind}} has no {#${kind}}.`;
      return { code: 'missing-start', message };
    }
    open.pop();
    const start = texts[last.text];
    if (!start || last.text === at) return undefined;
    if (text.partKind === 'sheet') {
      if (kind === 'if')
        return { code: 'wrong-place', message: '{#if} and {/if} stand in the same cell of a worksheet.' };
      return start.row === text.row
        ? undefined
        : { code: 'wrong-place', message: '{#rows} and {/rows} stand in the same row of a worksheet.' };
    }
    const isTogether = (start.row !== null && start.row === text.row) || start.parent === text.parent;
    return isTogether ? undefined : { code: 'wrong-place', message: WRONG_PAIR };
  }

  const marks: (number | null)[][] = texts.map((text) => text.marks.map(() => null));
  const findings = found
    .toSorted((one, other) => one.text - other.text || (one.mark ?? -1) - (other.mark ?? -1))
    .map(({ text, mark, fault }, index): ReportFinding => {
      const { part = '', place = '', marks: textMarks = [] } = texts[text] ?? {};
      const marked = mark === undefined ? undefined : textMarks[mark];
      const list = marks[text];
      if (list && mark !== undefined) list[mark] ??= index;
      return {
        code: fault.code,
        message: fault.message,
        placeholder: marked?.text ?? '',
        suggestion: fault.suggestion ?? null,
        part,
        place,
        offset: marked?.offset ?? 0,
        length: marked?.length ?? 0,
      };
    });
  return { findings, marks, fields: [...used.values()], listsRows, hasSharedFields };
}

/** Whether a path depends on an entry. */
const isFieldPath = (path: string): boolean => !path.startsWith('$') || path.toLowerCase() === '$number';

function describeParseFault(
  mark: Mark,
  fault: { code: Fault['code']; message: string; format?: string },
): Fault {
  const { format } = fault;
  const nearest =
    format === undefined
      ? undefined
      : findNearest(
          format,
          VALUE_FORMATS.map(({ name }) => ({ name, value: name })),
        );
  return {
    code: fault.code,
    message: fault.message,
    suggestion:
      format === undefined || nearest === undefined ? undefined : replacePath(mark.text, format, nearest),
  };
}

/** Why a picture cannot show what its alternative text names. */
function findWrongPicture(placeholder: Placeholder, used: readonly UsedField[]): Fault | undefined {
  if (placeholder.kind !== 'value') return undefined;
  const { path, formats } = placeholder;
  if (formats.length > 0) return { code: 'wrong-format', message: 'A picture has no formats.' };
  const isImage = used.length > 0 && used.every(({ field }) => field.fieldType === FIELD.image);
  return isImage
    ? undefined
    : {
        code: 'wrong-format',
        message: `"${path}" holds no images, but it is the alternative text of a picture.`,
      };
}

/** The first format that does not fit the values. */
function findWrongFormat(
  { formats, path }: Extract<Placeholder, { kind: 'value' }>,
  value: { kind: ValueKind; isList: boolean },
): Fault | undefined {
  let { kind, isList } = value;
  for (const { name } of formats) {
    const format = findFormat(name);
    if (!format) continue;
    if (!fitsKind(format.kinds, kind, isList))
      return { code: 'wrong-format', message: `"${path}" cannot be shown as ${name}.` };
    if (name !== 'default') kind = 'text';
    if (name === 'join') isList = false;
  }
  return undefined;
}
