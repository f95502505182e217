export { HttpReranker, type HttpRerankerOptions } from './http-reranker.js';
