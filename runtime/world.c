int rico__runtime_placeholder(void);int rico__runtime_placeholder(void){return 0;}
