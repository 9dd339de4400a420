import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FieldError } from './errors.ts';
import { matchNames, type Schema } from './names.ts';
import { fieldErrors } from './messages.ts';
import { beginsWithDay, readParameters, unstorableTexts } from './texts.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  schema: Schema;
}

interface Media {
  schema?: Schema;
}

interface OperationObject {
  operationId: string;
  deprecated?: boolean;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, Media> } | { $ref: string };
  responses: Record<string, { content?: Record<string, Media> } | { $ref: string }>;
  security?: Record<string, string[]>[];
  'x-scope'?: string;
  'x-capability'?: string[];
  'x-door'?: 'console';
  'x-max-body'?: number;
}

interface Document {
  paths: Record<string, Record<string, unknown>>;
  security?: Record<string, string[]>[];
}

/** What a request may be checked against; every part is optional in a request but not unknown. */
interface RequestParts {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** One operation of the contract, as the service routes, guards and validates it. */
export interface Operation {
  id: string;
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  /** Path in the style of the router: `/api/rest/v1/management/user/:userId`. */
  url: string;
  access: 'public' | 'session' | 'bearer';
  scope: string | undefined;
  /** The caller needs any one of these; empty: none. */
  capabilities: readonly string[];
  consoleOnly: boolean;
  deprecated: boolean;
  /** Media types that the body may have; undefined: no body. */
  form: boolean;
  hasBody: boolean;
  maxBody: number | undefined;
  /** Renames keys to their spelling in the contract, reads parameters from their texts, and tells every fault. */
  check(parts: RequestParts): { parts: RequestParts; faults: FieldError[] };
  /** Faults of an answer against the contract, unknown properties included; used by the tests. */
  checkAnswer(status: number, body: unknown): FieldError[];
}

export interface Contract {
  document: Document;
  operations: readonly Operation[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** Date-times with or without a zone: without one they are UTC (shapes 1). */
const DATE_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[tT]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([zZ]|[+-]\d{2}:\d{2})?$/;

/** Points local references of a schema into the one document that Ajv holds under the name `contract`. */
function qualify<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"contract#/components/')) as T;
}

/** A copy in which every object schema with named properties refuses others: answers say what the contract says. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, closed(value)]),
  );
  if (
    typeof copy['properties'] === 'object' &&
    copy['type'] !== undefined &&
    copy['additionalProperties'] === undefined
  ) {
    copy['additionalProperties'] = false;
  }
  return copy;
}

function makeAjv(document: object): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    useDefaults: true,
    verbose: true,
  });
  addFormats.default(ajv);
  ajv.addFormat('date-time', {
    type: 'string',
    validate: (text: string) => DATE_TIME.test(text) && beginsWithDay(text),
  });
  return ajv.addSchema({ $id: 'contract', ...document });
}

/**
 * Loads the bundled contract and makes an operation of each method on each path.
 * Validators are compiled at the first request of their operation, so that a start does not wait for all of them.
 */
export function loadContract(file: URL): Contract {
  const document = JSON.parse(readFileSync(file, 'utf8')) as Document;
  const requests = makeAjv(document);
  let answers: Ajv2020 | undefined;
  const deref = <T extends object>(node: T | { $ref: string }): T => {
    if (!('$ref' in node) || typeof node.$ref !== 'string') return node as T;
    const path = node.$ref
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as T;
  };

  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method): Operation => {
      const spec = item[method] as OperationObject;
      const shared = (item['parameters'] as OperationObject['parameters']) ?? [];
      const parameters = [...shared, ...(spec.parameters ?? [])].map((parameter) =>
        deref<Parameter>(parameter),
      );
      const params = parametersSchema(parameters, 'path');
      const query = parametersSchema(parameters, 'query');
      const requestBody = spec.requestBody && deref(spec.requestBody);
      const form = requestBody?.content['application/x-www-form-urlencoded']?.schema;
      const body = requestBody?.content['application/json']?.schema ?? form;
      const compiled = new Map<string, ValidateFunction>();
      const validator = (part: string, schema: Schema, ajv: Ajv2020): ValidateFunction => {
        const found = compiled.get(part) ?? ajv.compile(qualify(schema));
        compiled.set(part, found);
        return found;
      };
      const security = spec.security ?? document.security ?? [];

      return {
        id: spec.operationId,
        method: method.toUpperCase() as Operation['method'],
        url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
        access:
          security.length === 0
            ? 'public'
            : security.some((scheme) => 'session' in scheme)
              ? 'session'
              : 'bearer',
        scope: spec['x-scope'],
        capabilities: spec['x-capability'] ?? [],
        consoleOnly: spec['x-door'] === 'console',
        deprecated: spec.deprecated ?? false,
        form: form !== undefined,
        hasBody: requestBody !== undefined,
        maxBody: spec['x-max-body'],
        check(parts) {
          const faults: FieldError[] = [];
          const run = (
            name: 'params' | 'query' | 'body',
            schema: Schema | undefined,
            value: unknown,
          ): unknown => {
            if (!schema) return value;
            const named = matchNames(value, schema, deref, name === 'params');
            const typed = name === 'body' ? named.value : readParameters(Object(named.value), schema, deref);
            const validate = validator(name, schema, requests);
            if (!validate(typed)) faults.push(...fieldErrors(validate.errors ?? []));
            faults.push(...named.faults, ...unstorableTexts(typed));
            return typed;
          };
          const checked = {
            params: run('params', params, parts.params),
            query: run('query', query, parts.query),
            body: parts.body,
          };
          if (body) {
            if (parts.body !== undefined) checked.body = run('body', body, parts.body);
            else if (requestBody?.required) faults.push({ path: 'body', message: 'is required' });
          }
          return { parts: checked, faults };
        },
        checkAnswer(status, answer) {
          const declared = spec.responses[String(status)] ?? spec.responses['default'];
          if (!declared)
            return [{ path: 'status', message: `${status} is not an answer of ${spec.operationId}` }];
          const schema = deref(declared).content?.['application/json']?.schema;
          if (!schema) return [];
          answers ??= makeAjv(closed(document) as object);
          const validate = validator(`answer ${status}`, closed(schema) as Schema, answers);
          return validate(answer) ? [] : fieldErrors(validate.errors ?? []);
        },
      };
    }),
  );
  return { document, operations };
}

/** All parameters of one place as one object schema; what the contract does not name is refused. */
function parametersSchema(parameters: readonly Parameter[], where: Parameter['in']): Schema | undefined {
  const here = parameters.filter((parameter) => parameter.in === where);
  if (here.length === 0 && where !== 'query') return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(here.map((parameter) => [parameter.name, parameter.schema])),
    required: here.filter((parameter) => parameter.required).map((parameter) => parameter.name),
    additionalProperties: false,
  };
}
