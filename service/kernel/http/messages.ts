import type { ErrorObject } from 'ajv';
import type { FieldError } from './errors.ts';

const TYPES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'a date and time such as 2026-11-21T09:30:00.000Z',
  date: 'a date such as 2026-11-21',
  email: 'an e-mail address such as name@company.example',
  uuid: 'a UUID',
  int32: 'a whole number of 32 bits',
};

/** Rules of a value that say more of it than its format does. */
const PLAINER: ReadonlySet<string> = new Set(['type', 'minimum', 'maximum']);

/** What is wrong, in words that name the limit. */
function describe(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'type':
      return `must be ${[params['type']]
        .flat()
        .map((type) => TYPES[String(type)] ?? String(type))
        .join(' or ')}`;
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not known';
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`;
    case 'const':
      return `must be ${String(params['allowedValue'])}`;
    case 'format':
      return `must be ${FORMATS[String(params['format'])] ?? `of the form ${String(params['format'])}`}`;
    case 'minimum':
    case 'exclusiveMinimum':
      return `must be at least ${String(params['limit'])}`;
    case 'maximum':
    case 'exclusiveMaximum':
      return `must be at most ${String(params['limit'])}`;
    case 'minLength':
      return Number(params['limit']) === 1
        ? 'must not be empty'
        : `must have at least ${String(params['limit'])} characters`;
    case 'maxLength':
      return `must have at most ${String(params['limit'])} characters`;
    case 'minItems':
      return `must have at least ${String(params['limit'])} items`;
    case 'maxItems':
      return `must have at most ${String(params['limit'])} items`;
    case 'uniqueItems':
      return 'must not hold the same item twice';
    default:
      return error.message ?? 'is not valid';
  }
}

/** Ajv's errors as faults with dotted paths (`groups.2`), the missing or unknown property at the end of its path. */
export function fieldErrors(errors: readonly ErrorObject[]): FieldError[] {
  // A number beyond 32 bits is beyond its own bound as well: one fault, told once.
  const told = new Set(
    errors.filter(({ keyword }) => PLAINER.has(keyword)).map((error) => error.instancePath),
  );
  return errors
    .filter((error) => error.keyword !== 'if' && error.keyword !== 'anyOf' && error.keyword !== 'oneOf')
    .filter((error) => error.keyword !== 'format' || !told.has(error.instancePath))
    .map((error) => {
      const params = error.params as {
        missingProperty?: string;
        additionalProperty?: string;
        unevaluatedProperty?: string;
      };
      const last = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
      const parts = error.instancePath
        .split('/')
        .slice(1)
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
      return {
        path: [...parts, ...(last === undefined ? [] : [last])].join('.') || 'body',
        message: describe(error),
      };
    });
}
