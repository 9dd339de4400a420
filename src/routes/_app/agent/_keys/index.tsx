import { createFileRoute } from '@tanstack/react-router';

/** The keys without a panel. */
export const Route = createFileRoute('/_app/agent/_keys/')({});
