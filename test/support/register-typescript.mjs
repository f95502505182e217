// `node --import <this file> some.ts` runs a TypeScript source file in its own process.
import { register } from 'node:module';

register('./typescript-loader.mjs', import.meta.url);
