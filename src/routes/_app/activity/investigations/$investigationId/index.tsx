import { createFileRoute } from '@tanstack/react-router';

/** The investigation without a panel. */
export const Route = createFileRoute('/_app/activity/investigations/$investigationId/')({});
