import { createFileRoute } from '@tanstack/react-router';

/** The report alone, without a panel over it. */
export const Route = createFileRoute('/_app/activity/_report/')({});
