/* Memory between pages that may not be accessed, for `guard_pages.py`: preloaded, it takes the place of malloc.

   While it is on, each block has pages of its own, begins or ends at a page that may not be accessed, is filled with
   0xFF (a NaN), and is never given out again: an access outside of it, or after it was freed, is a SIGSEGV. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096UL
#define SPACE (1UL << 38)

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static char *space;         /* reserved once */
static size_t *sizes;       /* of the block that begins in a page */
static atomic_size_t taken; /* pages */
static atomic_size_t count; /* blocks */
static atomic_int mode;     /* 0: off, 1: blocks end at a page, 2: they begin there */

static int ours(void *p) { return space && (char *)p >= space && (char *)p < space + SPACE; }
static size_t page_of(void *p) { return ((char *)p - space) / PAGE; }

int guard_pages(int wanted) {
    if (wanted && !space) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        void *all = mmap(0, SPACE, PROT_NONE, flags, -1, 0);
        void *table = mmap(0, SPACE / PAGE * sizeof(size_t), PROT_READ | PROT_WRITE, flags, -1, 0);
        if (all == MAP_FAILED || table == MAP_FAILED) return -1;
        space = all, sizes = table;
    }
    return atomic_exchange(&mode, wanted);
}

size_t guarded_blocks(void) { return count; }

static void *block(size_t size, size_t alignment, int side) {
    size_t pages = (size + PAGE - 1) / PAGE, at;
    if (!pages) pages = 1;
    at = atomic_fetch_add(&taken, pages + 1) + 1; /* a page before it; the next block has one after it */
    if ((at + pages + 1) * PAGE > SPACE) return 0;
    char *first = space + at * PAGE;
    if (mprotect(first, pages * PAGE, PROT_READ | PROT_WRITE)) return 0;
    memset(first, 0xFF, pages * PAGE);
    atomic_fetch_add(&count, 1);
    char *p = side == 2 ? first : (char *)((uintptr_t)(first + pages * PAGE - size) / alignment * alignment);
    if (p < first) p = first;
    sizes[at] = size;
    return p;
}

static void *taken_from(size_t size, size_t alignment) {
    int side = mode;
    void *p = side && size && alignment <= PAGE ? block(size, alignment, side) : 0;
    return p ? p : alignment > 16 ? __libc_memalign(alignment, size) : __libc_malloc(size);
}

/* Arrays of numbers of 8 bytes end at the page exactly; other blocks are aligned as malloc's are. */
void *malloc(size_t size) { return taken_from(size, size % 8 ? 16 : 8); }

void *calloc(size_t n, size_t size) {
    if (!mode || (size && n > (size_t)-1 / size)) return __libc_calloc(n, size);
    void *p = malloc(n * size);
    return p ? memset(p, 0, n * size) : p;
}

void free(void *p) {
    if (!ours(p)) {
        __libc_free(p);
        return;
    }
    size_t at = page_of(p), pages = (sizes[at] + PAGE - 1) / PAGE;
    char *first = space + at * PAGE;
    madvise(first, (pages ? pages : 1) * PAGE, MADV_DONTNEED);
    mprotect(first, (pages ? pages : 1) * PAGE, PROT_NONE);
}

void *realloc(void *p, size_t size) {
    if (!ours(p) && (!mode || p)) return __libc_realloc(p, size);
    if (p && !size) {
        free(p);
        return 0;
    }
    void *q = malloc(size);
    if (p && q) {
        size_t old = sizes[page_of(p)];
        memcpy(q, p, old < size ? old : size);
        free(p);
    }
    return q;
}

void *memalign(size_t alignment, size_t size) { return taken_from(size, alignment); }
void *aligned_alloc(size_t alignment, size_t size) { return taken_from(size, alignment); }
int posix_memalign(void **p, size_t alignment, size_t size) {
    *p = taken_from(size, alignment);
    return *p ? 0 : 12;
}

size_t malloc_usable_size(void *p) {
    static size_t (*usable)(void *);
    if (!p || ours(p)) return p ? sizes[page_of(p)] : 0;
    if (!usable) usable = (size_t (*)(void *))dlsym(RTLD_NEXT, "malloc_usable_size");
    return usable(p);
}
