import { readFileSync } from 'node:fs';
import type { ErrorObject, ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { DataValidateFunction } from 'ajv/dist/types/index.js';
import { startsWithCalendarDay } from '../../../contract/rules/dates/dates.ts';
import { type FieldError, hasEnoughErrors, MAX_FIELD_ERRORS } from '../api-error.ts';
import type { PendingStep } from '../db/tables/index.ts';
import type { CheckedBody } from './bodies/read-body.ts';
import { normalizeNames, type JsonSchema, parseParameters, findUnstorableTexts } from './normalize.ts';
import { toFieldErrors } from './validation-messages.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  schema: JsonSchema;
}

interface Media {
  schema?: JsonSchema;
}

interface OperationObject {
  operationId: string;
  summary?: string;
  deprecated?: boolean;
  tags?: string[];
  'x-deprecation'?: { date: string; successor: string };
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, Media> } | { $ref: string };
  responses: Record<string, { content?: Record<string, Media> } | { $ref: string }>;
  security?: Record<string, string[]>[];
  'x-scope'?: string;
  'x-capability'?: string[];
  'x-door'?: 'console';
  'x-half-session'?: PendingStep;
  'x-step-up'?: boolean | string[];
  'x-max-body'?: number;
  'x-raw-body'?: boolean;
  'x-streamed-body'?: boolean;
  'x-capability-status'?: 401;
}

/** The parts of the bundled OpenAPI document that the service uses. */
export interface ContractDocument {
  paths: Record<string, Record<string, unknown>>;
  security?: Record<string, string[]>[];
}

/** The parts of a request that the contract describes. */
interface RequestParts {
  params: unknown;
  query: unknown;
  body: unknown;
}

/** One operation of the contract with what the service needs to route, authorize and validate it. */
export interface Operation {
  id: string;
  summary: string;
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH';
  /** Path in the syntax of the router: `/api/rest/v1/management/user/:userId`. */
  url: string;
  /** Credentials: none, a session, an access token, or an agent key, which no other operation accepts. */
  access: 'public' | 'session' | 'bearer' | 'agent';
  scope: string | undefined;
  /** Names of the path and query parameters in lower case. */
  parameters: ReadonlySet<string>;
  /** The caller needs any one of these; none if empty. */
  capabilities: readonly string[];
  isConsoleOnly: boolean;
  /** Half-completed sign-ins that lack this step may call the operation too; undefined: only complete sessions. */
  allowedPendingStep: PendingStep | undefined;
  /** Whether a session needs a recent proof of presence. */
  requiresStepUp: boolean;
  /** Body properties whose change needs a recent proof of presence; the handler checks this (`requireProofOfPresence`). */
  stepUpProperties: readonly string[];
  /** Headers of every response of a deprecated operation: `Deprecation` (RFC 9745) and `Link`. */
  deprecation: Readonly<Record<'deprecation' | 'link', string>> | undefined;
  isForm: boolean;
  /** Whether the body may be a multipart form with files (shapes 4). */
  acceptsMultipart: boolean;
  /** Whether the success response is a file. */
  returnsFile: boolean;
  /** If-None-Match may be answered with 304: the success response has an ETag. */
  isConditional: boolean;
  maxBodyBytes: number;
  /** Whether the handler reads and validates the body (`Call.readItems`), because its schema depends on what is stored. */
  hasRawBody: boolean;
  /** Whether the handler reads the body as it arrives (`Call.bodyStream`); it may be compressed with gzip. */
  hasStreamedBody: boolean;
  /** Status for programs whose user lacks a capability; 403 unless the original interface answers otherwise. */
  capabilityStatus: 401 | 403;
  /** Converts the path and query parameters to their types and returns their validation errors. */
  validateParameters(parts: Omit<RequestParts, 'body'>): {
    parts: Omit<RequestParts, 'body'>;
    errors: FieldError[];
  };
  /**
   * Normalizes the property names of a body, undefined if there is none, and returns its validation errors, at most the first 101.
   * `isStorable`: PostgreSQL can store all texts of the body, so that they need not be searched for others.
   */
  validateBody(body: unknown, isStorable?: boolean): CheckedBody;
  /** Validates parameters and body together; used by the tests. */
  validateRequest(parts: RequestParts): { parts: RequestParts; errors: FieldError[] };
  /** Validation errors of a response, unknown properties included; used by the tests. */
  validateResponse(status: number, body: unknown): FieldError[];
}

export interface Contract {
  document: ContractDocument;
  operations: readonly Operation[];
  /** Validates a body `{items: [...]}` whose items have the named schema of the contract, as `Operation.validateBody`. */
  validateItems(itemSchema: string, body: unknown, isStorable?: boolean): CheckedBody;
}

/** Items of a list that `validateItems` accepts. */
const MAX_LIST_ITEMS = 100_000;

const MULTIPART = 'multipart/form-data';
const FORM = 'application/x-www-form-urlencoded';
/** Limits of bodies for operations without `x-max-body`. Operations without credentials need no more than a sign-in has. */
const DEFAULT_MAX_BODY_BYTES = 1_048_576;
const PUBLIC_MAX_BODY_BYTES = 16_384;
const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** Date-times with or without a time zone; without one they are in UTC (shapes 1). */
const DATE_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[tT]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([zZ]|[+-]\d{2}:\d{2})?$/;

/** Makes local references of a schema refer to the document that Ajv knows as `contract`. */
function qualifyReferences<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"contract#/components/')) as T;
}

/** Copies a schema so that every object schema with properties rejects unknown ones. */
function forbidUnknownProperties(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(forbidUnknownProperties);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, forbidUnknownProperties(value)]),
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

/**
 * Replaces the keyword `items` by one that stops after the first errors: validation takes time for each error, and a list may have ten
 * thousand items. Ajv itself stops at the first error or never.
 */
function boundListErrors(ajv: Ajv2020): void {
  ajv.removeKeyword('items');
  ajv.addKeyword({
    keyword: 'items',
    type: 'array',
    schemaType: ['object', 'boolean'],
    errors: 'full',
    compile(itemSchema: JsonSchema | boolean) {
      let validateItem: ValidateFunction | undefined;
      const validateItems: DataValidateFunction = (list: readonly unknown[], context) => {
        // Compiled at the first use: a schema may contain itself.
        validateItem ??= ajv.compile(itemSchema);
        const errors: ErrorObject[] = [];
        for (let index = 0; index < list.length && errors.length <= MAX_FIELD_ERRORS; index += 1) {
          if (validateItem(list[index])) continue;
          for (const error of validateItem.errors ?? []) {
            const instancePath = `${context?.instancePath ?? ''}/${index}${error.instancePath}`;
            errors.push({ ...error, instancePath });
          }
        }
        validateItems.errors = errors;
        return errors.length === 0;
      };
      return validateItems;
    },
  });
}

function createAjv(document: object): Ajv2020 {
  // The contract is validated by its linter; the meta-schema could not be compiled with the keyword below.
  const ajv = new Ajv2020({ strict: false, allErrors: true, useDefaults: true, validateSchema: false });
  boundListErrors(ajv);
  addFormats.default(ajv);
  ajv.addFormat('date-time', {
    type: 'string',
    validate: (text: string) => DATE_TIME.test(text) && startsWithCalendarDay(text),
  });
  return ajv.addSchema({ $id: 'contract', ...qualifyReferences(document) });
}

type Deref = <T extends object>(node: T | { $ref: string }) => T;

/** Creates the function that resolves local references of the document. Each is resolved once: bodies have thousands of values. */
function createDeref(document: ContractDocument): Deref {
  const targets = new Map<string, unknown>();
  const resolve = (reference: string): unknown => {
    const path = reference
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    return path.reduce<unknown>((target, key) => (target as Record<string, unknown>)[key], document);
  };
  return <T extends object>(node: T | { $ref: string }): T => {
    if (!('$ref' in node) || typeof node.$ref !== 'string') return node as T;
    const target = targets.get(node.$ref) ?? resolve(node.$ref);
    targets.set(node.$ref, target);
    return target as T;
  };
}

/** Validator of a schema that is compiled at its first use, so that the start does not wait for all operations. */
function compileLazily(getAjv: () => Ajv2020, schema: JsonSchema): (value: unknown) => FieldError[] {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= getAjv().compile(qualifyReferences(schema));
    return validate(value) ? [] : toFieldErrors(validate.errors ?? []);
  };
}

type PartValidator = (value: unknown, isStorable?: boolean) => CheckedBody;

/** Validator of path or query parameters: normalizes names, converts texts to the types of the schema, validates. */
function createParameterValidator(schema: JsonSchema, getAjv: () => Ajv2020, deref: Deref): PartValidator {
  const validate = compileLazily(getAjv, schema);
  const isOptional =
    (schema.required ?? []).length === 0 &&
    Object.values(schema.properties ?? {}).every((property) => !('default' in deref(property)));
  return (parameters) => {
    if (isOptional && Object.keys(Object(parameters)).length === 0) return { value: {}, errors: [] };
    const normalized = normalizeNames(parameters, schema, deref);
    const value = parseParameters(Object(normalized.value), schema, deref);
    return { value, errors: [...validate(value), ...normalized.errors, ...findUnstorableTexts(value)] };
  };
}

/** Validator of a JSON body or form: normalizes names, validates. The items of a list that is too long are not validated. */
function createBodyValidator(schema: JsonSchema, getAjv: () => Ajv2020, deref: Deref): PartValidator {
  const validate = compileLazily(getAjv, schema);
  return (body, isStorable = false) => {
    const { value, errors } = normalizeNames(body, schema, deref);
    if (errors.length > 0) return { value, errors };
    const found = [...validate(value), ...(isStorable ? [] : findUnstorableTexts(value))];
    return { value, errors: hasEnoughErrors(found) ? found.slice(0, MAX_FIELD_ERRORS + 1) : found };
  };
}

const passThrough: PartValidator = (value) => ({ value, errors: [] });

type RequestValidators = Pick<Operation, 'validateParameters' | 'validateBody' | 'validateRequest'>;

/** Validators of the parameters and the body of an operation. */
function createRequestValidators(
  spec: OperationObject,
  parameters: readonly Parameter[],
  getAjv: () => Ajv2020,
  deref: Deref,
): RequestValidators {
  const [validatePath = passThrough, validateQuery = passThrough] = (['path', 'query'] as const).map(
    (location) => {
      const schema = createParameterSchema(parameters, location);
      return schema ? createParameterValidator(schema, getAjv, deref) : passThrough;
    },
  );
  const requestBody = spec.requestBody && deref(spec.requestBody);
  const bodySchema =
    requestBody && (requestBody.content['application/json'] ?? requestBody.content[FORM])?.schema;
  const validateContent = bodySchema ? createBodyValidator(bodySchema, getAjv, deref) : passThrough;
  const missing: FieldError[] = requestBody?.required ? [{ path: 'body', message: 'is required' }] : [];
  const validateParameters: Operation['validateParameters'] = (request) => {
    const params = validatePath(request.params);
    const query = validateQuery(request.query);
    return {
      parts: { params: params.value, query: query.value },
      errors: [...params.errors, ...query.errors],
    };
  };
  const validateBody: Operation['validateBody'] = (body, isStorable) =>
    body === undefined ? { value: undefined, errors: missing } : validateContent(body, isStorable);
  return {
    validateParameters,
    validateBody,
    validateRequest(request) {
      const { parts, errors } = validateParameters(request);
      const body = validateBody(request.body);
      return { parts: { ...parts, body: body.value }, errors: [...errors, ...body.errors] };
    },
  };
}

/** Validator of responses against the schema of their status; rejects unknown properties. */
function createResponseValidator(
  spec: OperationObject,
  getAjv: () => Ajv2020,
  deref: Deref,
): Operation['validateResponse'] {
  const validators = new Map<number, (value: unknown) => FieldError[]>();
  return (status, body) => {
    const declared = spec.responses[String(status)] ?? spec.responses['default'];
    if (!declared) return [{ path: 'status', message: `${status} is not a response of ${spec.operationId}` }];
    const schema = deref(declared).content?.['application/json']?.schema;
    if (!schema) return [];
    const validate =
      validators.get(status) ?? compileLazily(getAjv, forbidUnknownProperties(schema) as JsonSchema);
    validators.set(status, validate);
    return validate(body);
  };
}

/**
 * Headers of a deprecated operation. `Deprecation` is the date as a structured field (RFC 9745 2.1); the links lead to the
 * operation and to its successor in the API reference.
 */
function buildDeprecation(spec: OperationObject, document: ContractDocument): Operation['deprecation'] {
  if (!spec.deprecated) return undefined;
  const details = spec['x-deprecation'];
  if (!details) throw new Error(`${spec.operationId} is deprecated and has no x-deprecation`);
  const successor = Object.values(document.paths)
    .flatMap((item) => METHODS.map((method) => item[method] as OperationObject | undefined))
    .find((operation) => operation?.operationId === details.successor);
  if (!successor) throw new Error(`The successor of ${spec.operationId} does not exist`);
  const link = ({ tags = [], operationId }: OperationObject, relation: string) =>
    `</api/current#/${encodeURIComponent(tags[0] ?? '')}/${operationId}>; rel="${relation}"; type="text/html"`;
  return {
    deprecation: `@${Date.parse(details.date) / 1_000}`,
    link: `${link(spec, 'deprecation')}, ${link(successor, 'successor-version')}`,
  };
}

function getAccess(security: readonly Record<string, string[]>[]): Operation['access'] {
  if (security.length === 0) return 'public';
  if (security.some((scheme) => 'agentKey' in scheme)) return 'agent';
  return security.some((scheme) => 'session' in scheme) ? 'session' : 'bearer';
}

/** Whether the success response of the operation is not JSON. */
function hasFileResponse(spec: OperationObject, deref: Deref): boolean {
  const { '200': success } = spec.responses;
  const content = success && deref(success).content;
  return content !== undefined && content['application/json'] === undefined;
}

/** Loads the bundled contract. */
export const loadContract = (file: URL): Contract =>
  createContract(JSON.parse(readFileSync(file, 'utf8')) as ContractDocument);

/** The contract of a bundled document, with one operation for each method of each path. */
export function createContract(document: ContractDocument): Contract {
  const deref = createDeref(document);
  const getRequestAjv = once(() => createAjv(document));
  const getResponseAjv = once(() => createAjv(forbidUnknownProperties(document) as object));
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method): Operation => {
      const spec = item[method] as OperationObject;
      const shared = (item['parameters'] as OperationObject['parameters']) ?? [];
      const parameters = [...shared, ...(spec.parameters ?? [])].map((parameter) =>
        deref<Parameter>(parameter),
      );
      const content = spec.requestBody ? deref(spec.requestBody).content : undefined;
      const access = getAccess(spec.security ?? document.security ?? []);
      return {
        id: spec.operationId,
        summary: spec.summary ?? spec.operationId,
        method: method.toUpperCase() as Operation['method'],
        url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
        access,
        scope: spec['x-scope'],
        parameters: new Set(
          parameters
            .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
            .map(({ name }) => name.toLowerCase()),
        ),
        capabilities: spec['x-capability'] ?? [],
        isConsoleOnly: spec['x-door'] === 'console',
        allowedPendingStep: spec['x-half-session'],
        requiresStepUp: spec['x-step-up'] === true,
        stepUpProperties: Array.isArray(spec['x-step-up']) ? spec['x-step-up'] : [],
        deprecation: buildDeprecation(spec, document),
        isForm: content?.[FORM] !== undefined,
        acceptsMultipart: content?.[MULTIPART] !== undefined,
        returnsFile: hasFileResponse(spec, deref),
        isConditional: method === 'get' && spec.responses['304'] !== undefined,
        maxBodyBytes:
          spec['x-max-body'] ?? (access === 'public' ? PUBLIC_MAX_BODY_BYTES : DEFAULT_MAX_BODY_BYTES),
        hasRawBody: spec['x-raw-body'] ?? false,
        hasStreamedBody: spec['x-streamed-body'] ?? false,
        capabilityStatus: spec['x-capability-status'] ?? 403,
        ...createRequestValidators(spec, parameters, getRequestAjv, deref),
        validateResponse: createResponseValidator(spec, getResponseAjv, deref),
      };
    }),
  );
  return { document, operations, validateItems: createItemsValidator(getRequestAjv, deref) };
}

/** Validators of lists by the schema of their items, created at their first use. */
function createItemsValidator(getAjv: () => Ajv2020, deref: Deref): Contract['validateItems'] {
  const validators = new Map<string, PartValidator>();
  return (itemSchema, body, isStorable) => {
    const $ref = `#/components/schemas/${itemSchema}`;
    const list = { type: 'array', minItems: 1, maxItems: MAX_LIST_ITEMS, items: { $ref } };
    const validate =
      validators.get(itemSchema) ??
      createBodyValidator(
        { type: 'object', additionalProperties: false, required: ['items'], properties: { items: list } },
        getAjv,
        deref,
      );
    validators.set(itemSchema, validate);
    return validate(body, isStorable);
  };
}

/** Calls `create` at the first call and returns the same value from then on. */
function once<T>(create: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= create());
}

/** One object schema for all path or query parameters; rejects unknown query parameters. */
function createParameterSchema(
  parameters: readonly Parameter[],
  location: Parameter['in'],
): JsonSchema | undefined {
  const matching = parameters.filter((parameter) => parameter.in === location);
  if (matching.length === 0 && location !== 'query') return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(matching.map((parameter) => [parameter.name, parameter.schema])),
    required: matching.filter((parameter) => parameter.required).map((parameter) => parameter.name),
    additionalProperties: false,
  };
}
