import fastifyHelmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** The one style rule that the UI kit injects (`touch-action`); rechecked at each of its upgrades. */
const UI_KIT_STYLE = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='";

/** Headers of every answer: nothing but the console's own scripts runs on its pages (T03). */
export async function protectPages(app: FastifyInstance, secure: boolean): Promise<void> {
  await app.register(fastifyHelmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", UI_KIT_STYLE],
        connectSrc: ["'self'"],
        imgSrc: ["'self'", 'blob:', 'data:'],
        fontSrc: ["'self'"],
        workerSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        // The address of a worker is all that the console ever makes a script of (src/lib/start-worker.ts).
        trustedTypes: ['steward-worker'],
      },
    },
    strictTransportSecurity: secure ? { maxAge: 31_536_000 } : false,
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
  });
}
