import { createFileRoute } from '@tanstack/react-router';

/** The report without a panel. */
export const Route = createFileRoute('/_app/activity/_report/')({});
