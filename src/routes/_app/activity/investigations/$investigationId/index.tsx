import { createFileRoute } from '@tanstack/react-router';

/** The investigation alone, without a panel over it. */
export const Route = createFileRoute('/_app/activity/investigations/$investigationId/')({});
