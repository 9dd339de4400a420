import type { CurrencyVm } from '../../../contract/generated/types.gen.ts';
import { fieldTypes, filterOperations } from '../../../contract/rules/schema/fields.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { parsePage } from '../../kernel/http/parameters.ts';
import { listUserValues } from './lookups.store.ts';

type Operations = 'listCurrencies' | 'listFieldTypes' | 'listFilterOperations' | 'listSchemaUsers';

/** Id of a currency: the three letters of its code as a base-26 number, so it never changes. */
const getCurrencyId = (code: string): number =>
  1 + Array.from(code).reduce((id, letter) => id * 26 + ((letter.codePointAt(0) ?? 0) - 65), 0);

/** Currencies known to the runtime's Unicode data, former ones included because stored amounts may be in them. */
const currencies: readonly CurrencyVm[] = Intl.supportedValuesOf('currency').map((code) => ({
  id: getCurrencyId(code),
  code,
  name: new Intl.DisplayNames('en', { type: 'currency' }).of(code) ?? code,
}));

const currencyCodes: ReadonlySet<string> = new Set(currencies.map(({ code }) => code));

/** Whether amounts can be in this currency: an upper-case ISO 4217 code. */
export const isCurrency = (code: string): boolean => currencyCodes.has(code);

export const lookupHandlers: Handlers<Operations> = {
  async listCurrencies() {
    return ok([...currencies]);
  },

  async listFieldTypes() {
    return ok([...fieldTypes]);
  },

  async listFilterOperations() {
    return ok(
      filterOperations.map(({ id, name, rowOperator, fieldTypes: types }) => ({
        id,
        name,
        rowOperator,
        fieldTypes: [...types],
      })),
    );
  },

  async listSchemaUsers({ db, caller, query }) {
    const page = query.pageSize === undefined ? undefined : parsePage(query);
    return ok(await listUserValues(db, caller.siteId, page));
  },
};
