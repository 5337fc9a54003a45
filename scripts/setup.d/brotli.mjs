// Compresses each file with Brotli to FILE.br, beside the original: nginx and the service send it to browsers that accept it.
// Usage: node brotli.mjs FILE...
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";

// The default quality is the highest.
for (const file of process.argv.slice(2)) writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));
