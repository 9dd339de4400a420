import { formatIdentifier } from '../../../lib/text/sentences.ts';

/** A field of the form of a tool. */
export interface ToolField {
  name: string;
  label: string;
  hint: string | undefined;
  isRequired: boolean;
  /** `entryType` offers the entry types of the site; `json` is any value that has no field of its own. */
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'entryType' | 'json';
  /** Values of a choice. */
  options: readonly string[];
}

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function getKind(name: string, schema: Schema): ToolField['kind'] {
  const types = [schema['type']].flat().filter((type) => type !== 'null');
  if (Array.isArray(schema['enum'])) return 'choice';
  if (types.length !== 1) return name === 'entryType' ? 'entryType' : 'json';
  if (types[0] === 'string') return name === 'entryType' ? 'entryType' : 'text';
  if (types[0] === 'integer' || types[0] === 'number') return 'number';
  return types[0] === 'boolean' ? 'boolean' : 'json';
}

/** Fields of the arguments of a tool, the required ones first. */
export function buildToolFields(inputSchema: Schema): ToolField[] {
  const { properties, required } = inputSchema;
  if (!isSchema(properties)) return [];
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  return Object.entries(properties)
    .map(([name, value]): ToolField => {
      const schema = isSchema(value) ? value : {};
      const options: readonly unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : [];
      return {
        name,
        label: toText(schema['title']) ?? formatIdentifier(name),
        // Descriptions are written for agents, which read Markdown.
        hint: toText(schema['description'])?.replaceAll('`', ''),
        isRequired: isRequired(name),
        kind: getKind(name, schema),
        options: options.filter((option) => typeof option === 'string'),
      };
    })
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

type ToolArguments =
  | { arguments: Record<string, unknown>; errors?: undefined }
  | { arguments?: undefined; errors: Record<string, string> };

/**
 * Converts the texts of the form to arguments; empty ones are left out. Values that the tool refuses are sent, because
 * the preview shows what an agent would get.
 * @returns the arguments, or the errors by field
 */
export function parseToolArguments(
  fields: readonly ToolField[],
  texts: Readonly<Record<string, string | undefined>>,
): ToolArguments {
  const values: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const { name, kind } of fields) {
    const text = texts[name]?.trim() ?? '';
    if (text === '') continue;
    if (kind === 'number') {
      if (Number.isFinite(Number(text))) values[name] = Number(text);
      else errors[name] = 'Enter a number';
    } else if (kind === 'boolean') values[name] = text === 'true';
    else if (kind === 'json') {
      try {
        values[name] = JSON.parse(text) as unknown;
      } catch {
        errors[name] = 'Enter valid JSON, such as ["Name"] or {"Stage": 2}';
      }
    } else values[name] = text;
  }
  return Object.keys(errors).length > 0 ? { errors } : { arguments: values };
}
