import type { CurrencyVm } from '../../../contract/generated/types.gen.ts';
import { fieldTypes, filterOperations } from '../../../contract/rules/fields.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { listUsersAsValues } from './users.store.ts';

type Operations = 'listCurrencies' | 'listFieldTypes' | 'listFilterOperations' | 'listSchemaUsers';

/** The three letters of a code read as a number: the same id for ever, whatever currencies come and go. */
const currencyId = (code: string): number =>
  1 + Array.from(code).reduce((id, letter) => id * 26 + ((letter.codePointAt(0) ?? 0) - 65), 0);

/** The currencies that the runtime's Unicode data knows, past ones included: old amounts are in them. */
const currencies: readonly CurrencyVm[] = Intl.supportedValuesOf('currency').map((code) => ({
  id: currencyId(code),
  code,
  name: new Intl.DisplayNames('en', { type: 'currency' }).of(code) ?? code,
}));

const codes: ReadonlySet<string> = new Set(currencies.map(({ code }) => code));

/** Whether amounts can be in this currency: an ISO 4217 code in capitals. */
export const isCurrency = (code: string): boolean => codes.has(code);

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
    const page = query.pageSize === undefined ? undefined : pageOf(query);
    return ok(await listUsersAsValues(db, caller.siteId, page));
  },
};
