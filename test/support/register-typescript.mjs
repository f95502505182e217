// `node --import <this file> some.ts` runs a source file in a process of its own.
import { register } from 'node:module';

register('./typescript-loader.mjs', import.meta.url);
