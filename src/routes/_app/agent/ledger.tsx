import { createFileRoute } from '@tanstack/react-router';
import { parseLedgerSearch } from '../../../areas/agent/model/ledger-search.ts';
import { LedgerPage } from '../../../areas/agent/pages/LedgerPage.tsx';

export const Route = createFileRoute('/_app/agent/ledger')({
  staticData: { title: 'Ledger', part: 'tab' },
  validateSearch: parseLedgerSearch,
  component: LedgerPage,
});
