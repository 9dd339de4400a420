import { createFileRoute } from '@tanstack/react-router';
import type { ImportRun } from '../../../../contract/generated/types.gen.ts';
import { RunsPage } from '../../../areas/relationship-intelligence/pages/RunsPage.tsx';

interface RunsSearch {
  kind?: ImportRun['kind'];
  page?: number;
  /** Opens the panel of a run. */
  run?: number;
}

const isPositive = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0;

export const Route = createFileRoute('/_app/imports/runs')({
  staticData: { title: 'Runs', part: 'tab' },
  validateSearch: ({ kind, page, run }: Record<string, unknown>): RunsSearch => ({
    ...((kind === 'emails' || kind === 'meetings') && { kind }),
    ...(isPositive(page) && page > 1 && { page }),
    ...(isPositive(run) && { run }),
  }),
  component: RunsPage,
});
