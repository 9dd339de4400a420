import { FIELD } from '../../../contract/rules/fields.ts';
import type {
  Choice,
  EntryType,
  SchemaField,
  SiteSchema,
  StoredChoice,
  StoredField,
  StoredType,
} from './schema.ts';

interface StoredSchema {
  siteId: number;
  version: number;
  types: readonly StoredType[];
  fields: readonly StoredField[];
  choices: readonly StoredChoice[];
}

/** The schema with its ways of finding things, of rows in the order of their ids. */
export function buildSchema({ siteId, version, types, fields, choices }: StoredSchema): SiteSchema {
  const choicesOf = Map.groupBy(choices, ({ fieldId }) => fieldId);
  const built = fields.map((field) => buildField(field, choicesOf.get(field.id) ?? []));
  const fieldsOf = Map.groupBy(built, ({ typeId }) => typeId);
  const builtTypes = types.map((type) => buildType(type, fieldsOf.get(type.id) ?? []));
  return {
    siteId,
    version,
    types: builtTypes,
    typesById: new Map(builtTypes.map((type) => [type.id, type])),
    typesByName: new Map(builtTypes.map((type) => [type.apiName.toLowerCase(), type])),
    fieldsById: new Map(built.map((field) => [field.id, field])),
  };
}

function buildType(type: StoredType, fields: readonly SchemaField[]): EntryType {
  const key = fields.find((field) => field.isKey);
  if (!key) throw new Error(`Entry type ${type.id} has no field that names its entries`);
  return {
    ...type,
    fields,
    key,
    byName: new Map(fields.map((field) => [field.apiName.toLowerCase(), field])),
  };
}

function buildField(
  { slotState, searchState, ...field }: StoredField,
  choices: readonly StoredChoice[],
): SchemaField {
  const isCalculated = field.formula !== null;
  return {
    ...field,
    isCalculated,
    isStoreRequestSupported: !isCalculated && field.fieldType !== FIELD.counter,
    choices: new Map(inOrder(choices).map((choice) => [choice.id, choice])),
    isSlotReady: slotState === 'ready',
    isSearchReady: searchState === 'ready',
  };
}

const inOrder = (choices: readonly StoredChoice[]): Choice[] =>
  choices
    .map(({ fieldId: _field, ...choice }) => choice)
    .toSorted(
      (one, other) => Number(one.isRemoved) - Number(other.isRemoved) || one.seqNumber - other.seqNumber,
    );
