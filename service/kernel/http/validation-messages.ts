import type { ErrorObject } from 'ajv';
import { formatPathName } from '../../../contract/rules/json/scan.ts';
import { PATTERN_INSTRUCTIONS } from '../../../contract/rules/patterns.ts';
import { type FieldError, MAX_FIELD_ERRORS } from '../api-error.ts';

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

/** Keywords whose error makes an error of `format` for the same value redundant. */
const KEYWORDS_BEFORE_FORMAT: ReadonlySet<string> = new Set(['type', 'minimum', 'maximum']);

/** The message of a validation error, including the limit. */
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
    case 'pattern':
      return PATTERN_INSTRUCTIONS[String(params['pattern'])] ?? 'is not valid';
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
      return Number(params['limit']) === 1
        ? 'must hold at least one item'
        : `must have at least ${String(params['limit'])} items`;
    case 'maxItems':
      return `must have at most ${String(params['limit'])} items`;
    case 'uniqueItems':
      return 'must not hold the same item twice';
    default:
      return error.message ?? 'is not valid';
  }
}

/** Errors that are converted at most: several may concern one value and end in one field error. */
const MAX_CONVERTED_ERRORS = 10 * MAX_FIELD_ERRORS;

/**
 * Converts Ajv's errors to field errors with dotted paths (`groups.2`) that include missing and unknown properties; of very many, the
 * first ones.
 */
export function toFieldErrors(allErrors: readonly ErrorObject[]): FieldError[] {
  const errors = allErrors.slice(0, MAX_CONVERTED_ERRORS);
  // A number beyond 32 bits violates both its maximum and its format: one error suffices.
  const pathsWithClearerError = new Set(
    errors.filter(({ keyword }) => KEYWORDS_BEFORE_FORMAT.has(keyword)).map((error) => error.instancePath),
  );
  return errors
    .filter((error) => error.keyword !== 'if' && error.keyword !== 'anyOf' && error.keyword !== 'oneOf')
    .filter((error) => error.keyword !== 'format' || !pathsWithClearerError.has(error.instancePath))
    .map((error) => {
      const params = error.params as {
        missingProperty?: string;
        additionalProperty?: string;
        unevaluatedProperty?: string;
      };
      const property = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
      const parts = error.instancePath
        .split('/')
        .slice(1)
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
      return {
        path:
          [...parts, ...(property === undefined ? [] : [property])].map(formatPathName).join('.') || 'body',
        message: describe(error),
      };
    });
}
