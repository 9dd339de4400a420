import { createFileRoute } from '@tanstack/react-router';

/** The list without a panel. */
export const Route = createFileRoute('/_app/proxies/_list/')({});
